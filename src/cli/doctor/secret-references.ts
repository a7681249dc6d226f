import { chmod, stat } from "node:fs/promises";

import type { SecretReference, ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { thisMachine } from "../../config/directories.ts";
import { KeychainNames } from "../../secrets/keychain-names.ts";
import { exposureOf } from "../../secrets/secret-file.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Context } from "../core/command.ts";
import type { Findings } from "./check.ts";

const area = "config";

/** Checks what servers refer to for their secrets, without reading a secret or running a command. */
export async function checkSecretReferences(
  { env }: Pick<Context, "env">,
  settings: WorkbenchSettings,
  findings: Findings,
): Promise<void> {
  const stored = new Set(await new KeychainNames(thisMachine(env)).read());
  for (const server of serversIn(settings.toolboxes)) {
    if (server.disabled) continue;
    const subject = `${server.toolbox}/${server.name}`;
    for (const reference of referencesOf(server)) {
      const isRequired = reference.fallback === undefined;
      if (reference.kind === "file") await checkFile(reference.path, isRequired, subject, findings);
      if (reference.kind === "keychain" && isRequired && !stored.has(reference.name))
        findings.add({
          area,
          subject,
          status: "warning",
          message: `${reference.name} was not stored in the keychain by 'mcp-workbench secret'`,
          fix: `mcp-workbench secret set ${reference.name} --keychain`,
        });
    }
  }
}

function referencesOf({ secretTexts }: ServerSettings): readonly SecretReference[] {
  return secretTexts.flatMap(({ parts }) => parts.filter((part) => typeof part !== "string"));
}

async function checkFile(
  path: string,
  isRequired: boolean,
  subject: string,
  findings: Findings,
): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) {
    const message = `${path}, which has one of its secrets, is not a file`;
    if (isRequired)
      findings.add({
        area,
        subject,
        status: "error",
        message,
        fix: "Create it, or correct the path",
      });
    return;
  }
  const [message, fix = "Ask its owner to restrict access to you"] =
    exposureOf(path, found)?.split(". Run: ") ?? [];
  if (message === undefined) return;
  const check = { area, subject: path, status: "warning", message, fix } as const;
  if (fix.startsWith("chmod")) await findings.repairable(check, () => chmod(path, 0o600));
  else findings.add(check);
}
