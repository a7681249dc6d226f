import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import type { ConfigText } from "./config-edit.ts";
import { type ConfigEntry, existingToolbox, findEntry } from "./config-entry.ts";
import { editConfig } from "./edit-config.ts";

/** `disable [TOOLBOX/]SERVER…`, `disable TOOLBOX` */
export function disable(context: Context): Promise<number> {
  return setDisabled(context, true);
}

/** `enable [TOOLBOX/]SERVER…`, `enable TOOLBOX` */
export function enable(context: Context): Promise<number> {
  return setDisabled(context, false);
}

async function setDisabled(context: Context, disabled: boolean): Promise<number> {
  const { args, out } = context;
  const verb = disabled ? "disable" : "enable";
  let servers: readonly { toolbox: string; server: string }[] = [];
  const report = await editConfig(context, false, (config) => {
    const given = args.list("toolbox").map((toolbox) => ({
      toolbox: existingToolbox(toolbox, config.toolboxes),
      server: undefined,
    }));
    const named = args.words.map((word) => findEntry(word, config.toolboxes));
    if (given.length + named.length === 0)
      throw workbenchError(
        "USAGE",
        { reason: `Name a server or a toolbox to ${verb}` },
        `See mcp-workbench ${verb} --help`,
      );
    servers = [...given, ...named].flatMap((entry) => serversOf(entry, config));
    for (const { toolbox, server } of servers) config.setDisabled(toolbox, server, disabled);
    return [verb, ...args.words, ...given.map(({ toolbox }) => `--toolbox ${toolbox}`)].join(" ");
  });
  if (report.diff === "") out.say(`Already ${disabled ? "disabled" : "enabled"}.`);
  out.document({ ...report, servers });
  return EXIT.ok;
}

function serversOf(
  { toolbox, server }: ConfigEntry,
  { toolboxes }: ConfigText,
): readonly { toolbox: string; server: string }[] {
  const servers = server === undefined ? [...(toolboxes.get(toolbox) ?? [])] : [server];
  return servers.map((name) => ({ toolbox, server: name }));
}
