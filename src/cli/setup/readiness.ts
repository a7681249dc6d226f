import { isDeepStrictEqual } from "node:util";

import { parseConfig } from "../../config/load.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { editorFor } from "../../files/formats.ts";
import { valueAt } from "../../text/json.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { withKnownSecrets } from "./known-secrets.ts";
import { nextCommand } from "./next-command.ts";
import type { ServerTrial, Trial } from "./trial.ts";

/** A server that answered, and that the configuration starts as it was tried. */
export interface WorkingServer {
  readonly toolbox: string;
  readonly server: string;
  readonly tools: number;
}

/** A server that does not work yet, and the command that comes next. */
export interface PendingServer {
  readonly toolbox: string;
  readonly server: string;
  readonly reason: string;
  readonly command: string;
}

export interface Readiness {
  readonly working: readonly WorkingServer[];
  readonly needsUser: readonly PendingServer[];
}

/** The configuration that was written, and the settings with which its servers were tried. */
export interface Written {
  readonly file: string;
  readonly text: string;
  readonly tried: WorkbenchSettings;
}

/**
 * Which servers work behind the workbench: those that connected, provided that the configuration
 * starts them as they were tried, with every secret in its place.
 */
export async function readinessOf(
  context: Pick<Context, "args" | "env" | "cwd" | "out">,
  { file, text, tried }: Written,
  trial: Trial | undefined,
): Promise<Readiness> {
  const { args, env } = context;
  const after = await withKnownSecrets(context, await parseConfig(text, { file, env }));
  // Servers that the configuration already had refer to secrets, too.
  const before = await withKnownSecrets(context, tried);
  const document = (await editorFor("jsonc")).parse(text);
  const working: WorkingServer[] = [];
  const needsUser: PendingServer[] = [];
  for (const given of serversIn(before.toolboxes)) {
    if (given.disabled) continue;
    const { toolbox, name: server } = given;
    const place = { toolbox, server };
    const outcome = trial?.servers.get(`${toolbox}/${server}`);
    const now = after.toolboxes.get(toolbox)?.servers.get(server);
    const missing = missingIn(now?.unavailable);
    const reason =
      missing.length > 0
        ? `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not set`
        : (failureOf(outcome) ?? differenceOf(given, now));
    if (reason !== undefined) {
      const entry = valueAt(document, ["toolboxes", toolbox, "mcpServers", server]) ?? {};
      const needsLogin = outcome?.needsLogin === true;
      const trouble = { ...place, reason, entry, missing, needsLogin };
      const command = nextCommand(trouble, ownCommand({ args }));
      needsUser.push({ ...place, reason, command });
    } else if (outcome !== undefined) working.push({ ...place, tools: outcome.tools });
  }
  return { working, needsUser };
}

/** Why a server did not connect, with the last line it wrote; undefined if it did. */
function failureOf(outcome: ServerTrial | undefined): string | undefined {
  if (outcome?.error === undefined) return undefined;
  // The rest is advice; the command replaces it.
  const [error = ""] = outcome.error.split(". ");
  const last = outcome.lastOutput.at(-1);
  return last === undefined ? error : `${error}: ${last}`;
}

/** The variables in the text that explains why a server is unavailable. */
function missingIn(unavailable = ""): readonly string[] {
  const [text = ""] = unavailable.replaceAll(/ \([^)]*\)/g, "").split(/\. (?=Set )/);
  const [, one] = /variable (\S+) is not set/.exec(text) ?? [];
  const [, many = ""] = /variables are not set: (.+)$/.exec(text) ?? [];
  return one === undefined ? [...new Set(many.split(", "))].filter((name) => name !== "") : [one];
}

function differenceOf(
  tried: Pick<ServerSettings, "transport">,
  written: ServerSettings | undefined,
): string | undefined {
  if (written?.unavailable !== undefined) return written.unavailable;
  return isDeepStrictEqual(tried.transport, written?.transport)
    ? undefined
    : "the configuration starts it differently: check its variables and relative paths";
}
