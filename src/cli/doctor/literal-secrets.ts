import type { ServerEntry } from "../../clients/canonical.ts";
import { workbenchError } from "../../errors.ts";
import { secretsInEntry } from "../../secrets/in-entry.ts";
import { isSecretName } from "../../secrets/patterns.ts";
import type { SecretStore } from "../../secrets/store.ts";
import type { Context } from "../core/command.ts";
import { moveLiterals } from "../setup/move-literals.ts";
import type { Findings } from "./check.ts";

const area = "config";

/** A server and its entry before variables are expanded. */
export interface WrittenServer {
  /** `toolbox/server` */
  readonly subject: string;
  readonly entry: ServerEntry;
}

/**
 * Reports secrets in plain text, which `--fix` moves to a store, and secrets that other programs can
 * see. Returns how many are still in plain text.
 */
export async function checkLiteralSecrets(
  context: Context,
  file: string,
  servers: readonly WrittenServer[],
  findings: Findings,
): Promise<number> {
  const place = placeOf(context);
  let moving: Promise<ReadonlySet<string>> | undefined;
  let literal = 0;
  for (const { subject, entry } of servers) {
    for (const { name, value } of secretsInEntry(entry)) {
      literal += 1;
      const message = `${name === "" ? "a secret" : name} is stored in plain text`;
      const fix = STORE_FIX;
      await findings.repairable({ area, subject, status: "warning", message, fix }, async () => {
        // All of them in one step, so that one `undo` restores them.
        moving ??= moveLiterals(context, file, place);
        const moved = await moving;
        // As a server gets it.
        if (!moved.has(value.replaceAll("$${", "${")))
          throw new Error("it is in a setting of another client");
      });
    }
    for (const message of exposedIn(entry))
      findings.add({ area, subject, status: "warning", message, fix: EXPOSED_FIX });
  }
  return literal;
}

const STORE_FIX = "Store it with 'mcp-workbench secret set NAME' and write ${NAME} in its place";
const EXPOSED_FIX = 'Pass it in "env" or "headers", if the server supports that';

function placeOf({ args }: Context): SecretStore["kind"] {
  const named = args.text("secrets") ?? "env-file";
  if (named === "env-file" || named === "keychain") return named;
  const reason = `--secrets must be env-file or keychain, not '${named}'`;
  throw workbenchError("USAGE", { reason });
}

/** Secrets in places that other programs can see, in plain text or by reference. */
function exposedIn(entry: ServerEntry): string[] {
  const isExposed = (field: "args" | "url", texts: readonly string[]): boolean =>
    texts.some(refersToSecret) || secretsInEntry(entry).some(({ where }) => where[0] === field);
  return [
    ...(isExposed("args", entry.args ?? [])
      ? ["a secret is in its arguments, which every program on this machine can see"]
      : []),
    ...(isExposed("url", [entry.url ?? ""])
      ? ["a secret is in its URL, which servers and proxies often log"]
      : []),
  ];
}

function refersToSecret(text: string): boolean {
  return Array.from(text.matchAll(/\$\{(keychain:|file:|command:)?(?:env:)?(\w+)/g)).some(
    ([, kind, name = ""]) => kind !== undefined || isSecretName(name),
  );
}
