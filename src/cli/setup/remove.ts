import { join, sep } from "node:path";

import { EXIT, workbenchError } from "../../errors.ts";
import { asText, valueAt } from "../../text/json.ts";
import { shellWords } from "../../text/shell-words.ts";
import type { Context } from "../core/command.ts";
import { stateFolder } from "../core/host-info.ts";
import { plural } from "../output/layout.ts";
import type { ConfigText } from "./config-edit.ts";
import { type ConfigEntry, entryLabel, existingToolbox, findServerEntry } from "./config-entry.ts";
import { editConfig } from "./edit-config.ts";

/** `remove [TOOLBOX/]SERVER`, `remove --toolbox TOOLBOX` */
export async function remove(context: Context): Promise<number> {
  const { args, out } = context;
  let entry: ConfigEntry = { toolbox: "", server: undefined };
  let bundles: readonly string[] = [];
  const report = await editConfig(context, !args.flag("yes"), (config) => {
    entry = entryToRemove(context, config);
    const { toolbox, server } = entry;
    const all = server === undefined ? [...(config.toolboxes.get(toolbox) ?? [])] : [server];
    bundles = all.flatMap((name) => bundleOf(context, config.entryOf(toolbox, name)));
    config.remove(toolbox, server);
    if (server !== undefined && !config.toolboxes.has(toolbox))
      out.say(`${server} is the last server of toolbox '${toolbox}', which is removed, too.`);
    return `remove ${server === undefined ? "--toolbox " : ""}${entryLabel(entry)}`;
  });
  for (const folder of report.changed ? bundles : [])
    out.say(`The files of its bundle stay. To delete them: ${shellWords(["rm", "-r", folder])}`);
  out.document({ ...report, toolbox: entry.toolbox, server: entry.server ?? null });
  return EXIT.ok;
}

/** The folder of the bundle that an entry runs. */
function bundleOf(context: Context, entry: unknown): readonly string[] {
  const cwd = asText(valueAt(entry, ["cwd"]));
  return cwd.startsWith(join(stateFolder(context), "bundles") + sep) ? [cwd] : [];
}

function entryToRemove({ args }: Context, { toolboxes }: ConfigText): ConfigEntry {
  const [word] = args.words;
  const named = args.text("toolbox");
  if (word !== undefined) {
    const servers = named === undefined ? toolboxes.get(word) : undefined;
    const isServer = [...toolboxes.values()].some((inside) => inside.has(word));
    if (servers === undefined || isServer) return findServerEntry(word, toolboxes, named);
    const reason = `'${word}' is a toolbox with ${plural(servers.size, "server")}`;
    const hint = `To remove all of it: mcp-workbench remove --toolbox ${word}`;
    throw workbenchError("USAGE", { reason }, hint);
  }
  if (named !== undefined) return { toolbox: existingToolbox(named, toolboxes), server: undefined };
  throw workbenchError(
    "USAGE",
    { reason: "Name a server or a toolbox to remove" },
    "See mcp-workbench remove --help",
  );
}
