import { isDeepStrictEqual } from "node:util";

import type { ProposedToolbox } from "../../clients/propose.ts";
import { parseConfig, resolveConfig } from "../../config/load.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { configOf } from "./draft.ts";
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

/** The toolboxes as they were tried, and as they are written: with references to their secrets. */
export interface Written {
  readonly file: string;
  readonly text: string;
  readonly tried: readonly ProposedToolbox[];
  readonly toolboxes: readonly ProposedToolbox[];
}

/**
 * Which servers work behind the workbench: those that connected, provided that the configuration
 * starts them as they were tried, with every secret in its place.
 */
export async function readinessOf(
  { args, env, cwd }: Pick<Context, "args" | "env" | "cwd">,
  { file, text, tried, toolboxes }: Written,
  trial: Trial | undefined,
): Promise<Readiness> {
  const before = await resolveConfig(configOf(tried), { env, cwd });
  const after = await parseConfig(text, { file, env });
  const working: WorkingServer[] = [];
  const needsUser: PendingServer[] = [];
  for (const { name: toolbox, servers } of toolboxes)
    for (const { name: server, entry } of servers) {
      const place = { toolbox, server };
      const outcome = trial?.servers.get(server);
      const now = serverIn(after, place);
      const missing = missingIn(now?.unavailable);
      const reason =
        missing.length > 0
          ? `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not set`
          : (failureOf(outcome) ?? differenceOf(serverIn(before, place), now));
      if (reason !== undefined) {
        const command = nextCommand({ ...place, reason, entry, missing }, ownCommand({ args }));
        needsUser.push({ ...place, reason, command });
      } else if (outcome !== undefined) working.push({ ...place, tools: outcome.tools });
    }
  return { working, needsUser };
}

// --- internal ---

interface Place {
  readonly toolbox: string;
  readonly server: string;
}

function serverIn(
  { toolboxes }: WorkbenchSettings,
  { toolbox, server }: Place,
): ServerSettings | undefined {
  return toolboxes.get(toolbox)?.servers.get(server);
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
  tried: ServerSettings | undefined,
  written: ServerSettings | undefined,
): string | undefined {
  if (written?.unavailable !== undefined) return written.unavailable;
  return isDeepStrictEqual(tried?.transport, written?.transport)
    ? undefined
    : "the configuration starts it differently: check its variables and relative paths";
}
