import { relative } from "node:path";

import type { ServerEntry } from "../../clients/canonical.ts";
import type { Skipped } from "../../clients/propose.ts";
import type { FoundFile, FoundServer } from "../../clients/read.ts";
import { serverEffectLines } from "../../config/trust/effects.ts";
import { shellWords } from "../../text/shell-words.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";

/** The servers that may be imported and connected, and those that are only listed. */
export interface ImportConsent {
  readonly allowed: readonly FoundFile[];
  readonly refused: readonly Skipped[];
}

/**
 * Asks before servers from a project's client file are used: the author of the project chose what
 * they run. In a terminal, the user sees each command line in full and is asked; otherwise such
 * a file is used only if `--from` names it.
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
    const reason = `it comes from this project, not from you. To import it: --from ${from}`;
    refused.push(...doubtful.map((server) => ({ server, reason })));
  }
  return { allowed, refused };
}

/** Other servers of the project are skipped anyway. */
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
    for (const line of serverEffectLines(effectsOf(name, entry))) out.say(`  ${line}`);
  return prompt.confirm("Do you trust them?", false);
}

function effectsOf(server: string, entry: ServerEntry): Parameters<typeof serverEffectLines>[0] {
  const { command, args = [], oauth, ...rest } = entry;
  const words = command === undefined ? undefined : [command, ...args];
  return {
    toolbox: "",
    server,
    disabled: false,
    ...rest,
    ...(words && { command: words }),
    ...(oauth && { oauth: JSON.stringify(oauth) }),
  };
}
