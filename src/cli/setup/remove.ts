import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { bundleFolders, reportUnused } from "./bundle-folders.ts";
import type { ConfigText } from "./config-edit.ts";
import { type ConfigEntry, entryLabel, existingToolbox, findServerEntry } from "./config-entry.ts";
import { editConfig } from "./edit-config.ts";

/** `remove [TOOLBOX/]SERVER`, `remove --toolbox TOOLBOX` */
export async function remove(context: Context): Promise<number> {
  const { args, out } = context;
  let entry: ConfigEntry = { toolbox: "", server: undefined };
  let reportFolders = (): void => {};
  const report = await editConfig(context, !args.flag("yes"), (config) => {
    entry = entryToRemove(context, config);
    const { toolbox, server } = entry;
    const bundles = bundleFolders(context, config);
    reportFolders = () => reportUnused(context, bundles, config);
    config.remove(toolbox, server);
    if (server !== undefined && !config.toolboxes.has(toolbox))
      out.say(`${server} is the last server of toolbox '${toolbox}', which is removed, too.`);
    return `remove ${server === undefined ? "--toolbox " : ""}${entryLabel(entry)}`;
  });
  if (report.changed) reportFolders();
  out.document({ ...report, toolbox: entry.toolbox, server: entry.server ?? null });
  return EXIT.ok;
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
