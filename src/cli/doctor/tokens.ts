import { readTokens, tokenFile } from "../../access/tokens/token-file.ts";
import type { TokenRecord } from "../../access/tokens/token-record.ts";
import { thisMachine } from "../../config/directories.ts";
import { serverKey } from "../../config/server-key.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { isWorkbenchError, reasonOf } from "../../errors.ts";
import { plural } from "../output/layout.ts";
import type { Context } from "../core/command.ts";
import { isExpired } from "../../access/tokens/shown-token.ts";
import type { Findings } from "./check.ts";

const area = "tokens";

/** Checks the access tokens: whether they can be used, and whether they are still useful. */
export function checkTokens(
  { env }: Pick<Context, "env">,
  settings: WorkbenchSettings | undefined,
  findings: Findings,
): void {
  const file = tokenFile(thisMachine(env));
  let tokens: readonly TokenRecord[];
  try {
    tokens = readTokens(file);
  } catch (error) {
    const message = isWorkbenchError(error) ? error.message : reasonOf(error);
    const fix = "Restore the file, or move it away and create the tokens again";
    findings.add({ area, subject: file, status: "error", message, fix });
    return;
  }
  if (tokens.length === 0) return;
  findings.add({ area, subject: file, status: "ok", message: plural(tokens.length, "token") });
  for (const token of tokens) {
    const { name, expiresAt = "" } = token;
    const subject = `token '${name}'`;
    if (isExpired(token))
      findings.add({
        area,
        subject,
        status: "warning",
        message: `it expired at ${expiresAt}`,
        fix: `mcp-workbench token rotate ${name}, or mcp-workbench token revoke ${name}`,
      });
    const missing = settings === undefined ? [] : namesMissingIn(settings, token);
    if (missing.length > 0)
      findings.add({
        area,
        subject,
        status: "warning",
        message: `the configuration does not have ${missing.join(", ")}`,
        fix: "The token works for other configurations; if it is not needed, revoke it",
      });
  }
}

function namesMissingIn(
  { toolboxes: known }: WorkbenchSettings,
  { toolboxes = [], servers = [] }: TokenRecord,
): readonly string[] {
  const keys = [...known.values()].flatMap((toolbox) =>
    Array.from(toolbox.servers.keys(), (server) => serverKey(toolbox.name, server)),
  );
  return [
    ...toolboxes.filter((name) => !known.has(name)),
    ...servers.filter((name) => !keys.includes(name)),
  ];
}
