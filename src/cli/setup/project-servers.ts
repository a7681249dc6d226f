import { relative } from "node:path";

import type { ServerEntry } from "../../clients/canonical.ts";
import type { Skipped } from "../../clients/propose.ts";
import type { FoundFile, FoundServer } from "../../clients/read.ts";
import { linesOf } from "../../config/effects.ts";
import { shellWords } from "../../text/shell-words.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../command.ts";

/** What may be imported and connected, and what is only listed. */
export interface ImportConsent {
  readonly allowed: readonly FoundFile[];
  readonly refused: readonly Skipped[];
}

/**
 * Holds back the servers that a client's file in this project names: the author of the project chose
 * what they run. A user at a terminal sees each command line in full and is asked; otherwise such
 * a file counts only if it is named with `--from`.
 */
export async function askAboutProjectServers(
  context: Context,
  files: readonly FoundFile[],
): Promise<ImportConsent> {
  const allowed: FoundFile[] = [];
  const refused: Skipped[] = [];
  for (const found of files) {
    const doubtful = found.servers.filter(needsConsent);
    if (doubtful.length === 0 || (await askConsent(context, found.file, doubtful))) {
      allowed.push(found);
      continue;
    }
    allowed.push({ ...found, servers: found.servers.filter((server) => !needsConsent(server)) });
    const from = shellWords([relative(context.cwd, found.file)]);
    const reason = `the project names it, not you. To import it: --from ${from}`;
    refused.push(...doubtful.map((server) => ({ server, reason })));
  }
  return { allowed, refused };
}

// --- internal ---

/** The others are left out in any case, for reasons of their own. */
function needsConsent({ scope, entry, disabled, isWorkbench }: FoundServer): boolean {
  return scope === "project" && entry !== undefined && !disabled && !isWorkbench;
}

async function askConsent(
  { args, out, prompt }: Context,
  file: string,
  servers: readonly FoundServer[],
): Promise<boolean> {
  if (!prompt.available || args.flag("yes") || args.flag("dry-run")) return false;
  out.say(`\n${visible(file)} belongs to this project. Its servers would:`);
  for (const { name, entry = {} } of servers)
    for (const line of linesOf(effectsOf(name, entry))) out.say(`  ${line}`);
  return prompt.confirm("Do you trust them?", false);
}

function effectsOf(server: string, entry: ServerEntry): Parameters<typeof linesOf>[0] {
  const { command, args = [], ...rest } = entry;
  const words = command === undefined ? undefined : [command, ...args];
  return { toolbox: "", server, disabled: false, ...rest, ...(words && { command: words }) };
}
