import { join, sep } from "node:path";

import { asText, valueAt } from "../../text/json.ts";
import { shellWords } from "../../text/shell-words.ts";
import type { Context } from "../core/command.ts";
import { stateFolder } from "../core/host-info.ts";
import type { ConfigText } from "./config-edit.ts";

/** The folders of bundles that the servers of a configuration run. */
export function bundleFolders(
  context: Pick<Context, "env">,
  config: ConfigText,
): ReadonlySet<string> {
  const all = [...config.toolboxes].flatMap(([toolbox, servers]) =>
    [...servers].map((server) => asText(valueAt(config.entryOf(toolbox, server), ["cwd"]))),
  );
  const start = join(stateFolder(context), "bundles") + sep;
  return new Set(all.filter((folder) => folder.startsWith(start)));
}

/** Says which of the folders no server uses any longer. They may contain data, so they stay. */
export function reportUnused(
  context: Pick<Context, "env" | "out">,
  before: ReadonlySet<string>,
  config: ConfigText,
): void {
  const used = bundleFolders(context, config);
  for (const folder of before)
    if (!used.has(folder))
      context.out.say(
        `The files of its bundle stay. To delete them: ${shellWords(["rm", "-r", folder])}`,
      );
}
