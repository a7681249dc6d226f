import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import type { ConfigText } from "./config-edit.ts";
import {
  type ConfigEntry,
  checkFree,
  checkName,
  entryLabel,
  existingToolbox,
  findEntry,
  findServerEntry,
} from "./config-entry.ts";
import { editConfig } from "./edit-config.ts";

/** `rename [TOOLBOX/]SERVER NAME`, `rename TOOLBOX NAME` */
export async function rename(context: Context): Promise<number> {
  const { args, out } = context;
  const name = args.words.at(-1) ?? "";
  checkName(name);
  let entry: ConfigEntry = { toolbox: "", server: undefined };
  const report = await editConfig(context, false, (config) => {
    entry = entryToRename(context, config);
    const { toolbox, server } = entry;
    if (name !== (server ?? toolbox)) {
      checkNameIsFree(entry, name, config);
      config.rename(toolbox, server, name);
    }
    return `rename ${entryLabel(entry)} ${name}`;
  });
  out.document({ ...report, ...entry, server: entry.server ?? null, name });
  return EXIT.ok;
}

function entryToRename({ args }: Context, { toolboxes }: ConfigText): ConfigEntry {
  const [word = "", name] = args.words;
  const toolbox = args.text("toolbox");
  if (name !== undefined)
    return toolbox === undefined
      ? findEntry(word, toolboxes)
      : findServerEntry(word, toolboxes, toolbox);
  if (toolbox !== undefined)
    return { toolbox: existingToolbox(toolbox, toolboxes), server: undefined };
  throw workbenchError(
    "USAGE",
    { reason: "Missing argument. Usage: mcp-workbench rename [TOOLBOX/]SERVER NAME" },
    "See mcp-workbench rename --help",
  );
}

function checkNameIsFree({ toolbox, server }: ConfigEntry, name: string, config: ConfigText): void {
  if (server !== undefined) return checkFree(toolbox, name, config.toolboxes);
  if (!config.toolboxes.has(name)) return;
  const hint = `To join them, move the servers: mcp-workbench move ${toolbox}/SERVER ${name}`;
  throw workbenchError("USAGE", { reason: `There is already a toolbox '${name}'` }, hint);
}
