import { EXIT, workbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";
import type { Context } from "../core/command.ts";
import { findTrusted } from "../core/consent.ts";
import { applyEdit } from "./apply-edit.ts";
import { ConfigText } from "./config-edit.ts";
import { planConfig } from "./config-file.ts";

/** `remove [TOOLBOX/]SERVER`, `remove --toolbox TOOLBOX` */
export async function remove(context: Context): Promise<number> {
  const { args, out } = context;
  const { file } = await findTrusted(context, args.text("config"));
  const config = await ConfigText.read(file);
  const { toolbox, server } = whatToRemove(context, config);
  config.remove(toolbox, server);
  const edit = await planConfig(context, config.file, config.before, config.after);
  const what = server === undefined ? `remove --toolbox ${toolbox}` : `remove ${toolbox}/${server}`;
  const report = await applyEdit(context, edit, { what, ask: !args.flag("yes") });
  out.document({ ...report, toolbox, server: server ?? null });
  return EXIT.ok;
}

// --- internal ---

interface Removal {
  readonly toolbox: string;
  readonly server: string | undefined;
}

function whatToRemove({ args }: Context, { toolboxes }: ConfigText): Removal {
  const [word] = args.words;
  const named = args.text("toolbox");
  if (word === undefined) {
    if (named === undefined)
      throw workbenchError(
        "USAGE",
        { reason: "Name a server or a toolbox to remove" },
        "See mcp-workbench remove --help",
      );
    return { toolbox: existing(named, toolboxes), server: undefined };
  }
  const slash = word.indexOf("/");
  const server = word.slice(slash + 1);
  const toolbox = named ?? (slash === -1 ? undefined : word.slice(0, slash));
  if (toolbox !== undefined) {
    const servers = toolboxes.get(existing(toolbox, toolboxes)) ?? new Set();
    if (servers.has(server)) return { toolbox, server };
    throw workbenchError("SERVER_NOT_FOUND", { toolbox, server }, choices(server, servers));
  }
  const homes = [...toolboxes].filter(([, servers]) => servers.has(server)).map(([name]) => name);
  const [only, ...others] = homes;
  if (only !== undefined && others.length === 0) return { toolbox: only, server };
  if (only === undefined) {
    const all = [...toolboxes.values()].flatMap((servers) => [...servers]);
    throw workbenchError(
      "USAGE",
      { reason: `No toolbox has a server '${server}'` },
      choices(server, all),
    );
  }
  const hint = `Choose one: ${homes.map((home) => `${home}/${server}`).join(" or ")}`;
  throw workbenchError("USAGE", { reason: `Several toolboxes have a server '${server}'` }, hint);
}

function existing(toolbox: string, toolboxes: ConfigText["toolboxes"]): string {
  if (toolboxes.has(toolbox)) return toolbox;
  throw workbenchError("TOOLBOX_NOT_FOUND", { toolbox }, choices(toolbox, toolboxes.keys()));
}
