import type { ServerEntry } from "../../clients/canonical.ts";
import { variableName, variablesIn } from "../../clients/variables.ts";
import { shellWords } from "../../text/shell-words.ts";

/** A server that does not work, and why. */
export interface Trouble {
  readonly toolbox: string;
  readonly server: string;
  readonly reason: string;
  /** The entry as it is written to the configuration. */
  readonly entry: ServerEntry;
  /** Variables that it needs and that are not set. */
  readonly missing: readonly string[];
  /** The user has to sign in to it. */
  readonly needsLogin?: boolean;
}

/** The one command that brings the user closer to a working server. */
export function nextCommand(
  { toolbox, server, reason, entry, missing, needsLogin = false }: Trouble,
  program = "mcp-workbench",
): string {
  const command = (...words: readonly string[]): string => `${program} ${shellWords(words)}`;
  const [unset] = missing;
  if (unset !== undefined) return command("secret", "set", unset);
  if (needsLogin) return command("login", `${toolbox}/${server}`);
  if (entry.url === undefined || !/HTTP 40[13]\b/.test(reason)) {
    // Connects to this server only, and shows its error in full.
    return command("list", `${toolbox}/${server}`);
  }
  const [token] = variablesIn(Object.values(entry.headers ?? {}));
  if (token !== undefined) return command("secret", "set", token);
  const header = `Authorization: Bearer \${${variableName(`${server}_TOKEN`)}}`;
  const place = ["--toolbox", toolbox, "--force"];
  return command("add", server, entry.url, ...place, "--header", header);
}
