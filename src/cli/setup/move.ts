import { EXIT } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import type { ConfigText } from "./config-edit.ts";
import { checkFree, checkName, findServerEntry } from "./config-entry.ts";
import { descriptionFor } from "./description-for.ts";
import { editConfig } from "./edit-config.ts";

/** `move [TOOLBOX/]SERVER… TOOLBOX` */
export async function move(context: Context): Promise<number> {
  const { args, out } = context;
  const words = args.words.slice(0, -1);
  const to = args.words.at(-1) ?? "";
  checkName(to);
  const moved: { from: string; server: string }[] = [];
  const report = await editConfig(context, false, (config) => {
    for (const word of words) {
      const { toolbox: from, server } = findServerEntry(word, config.toolboxes);
      if (from === to) {
        out.say(`${server} is already in ${to}.`);
        continue;
      }
      checkFree(to, server, config.toolboxes);
      config.move(
        from,
        server,
        to,
        args.text("description") ?? newDescription(config, from, server),
      );
      if (!config.toolboxes.has(from))
        out.say(`Toolbox '${from}' has no servers left and is removed.`);
      moved.push({ from, server });
    }
    return `move ${moved.map(({ from, server }) => `${from}/${server}`).join(" ")} ${to}`;
  });
  out.document({ ...report, toolbox: to, servers: moved });
  return EXIT.ok;
}

function newDescription(config: ConfigText, from: string, server: string): string {
  return descriptionFor(server, config.entryOf(from, server));
}
