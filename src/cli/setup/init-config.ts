import type { ProposedToolbox } from "../../clients/propose.ts";
import { parseConfig, resolveConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { readText } from "../../files/text-file.ts";
import type { Context } from "../core/command.ts";
import { ConfigText } from "./config-edit.ts";
import type { ConfigEdit } from "../../config/edits/config-edits.ts";
import { planConfig } from "./config-file.ts";
import { configOf } from "./draft.ts";
import { addServers } from "./import-servers.ts";
import { formatJson } from "./json-layout.ts";
import { starterConfig, starterFolder } from "./starter.ts";

/**
 * Plans the configuration for some toolboxes; without any it is a starter configuration. `keeps`: it
 * also has everything that the file has now.
 */
export async function planNewConfig(
  context: Context,
  file: string,
  toolboxes: readonly ProposedToolbox[],
  keeps: boolean,
): Promise<ConfigEdit> {
  if (keeps) {
    const { before, after } = await extendedConfig(file, toolboxes);
    return planConfig(context, file, before, after);
  }
  const text =
    toolboxes.length === 0
      ? starterConfig(starterFolder(file))
      : `${formatJson(configOf(toolboxes))}\n`;
  return planConfig(context, file, await readText(file), text);
}

/** The settings in force if toolboxes were written, with their secrets in plain text. */
export async function settingsWith(
  { env, cwd }: Pick<Context, "env" | "cwd">,
  toolboxes: readonly ProposedToolbox[],
  /** The configuration that they are added to. */
  current: string | undefined,
): Promise<WorkbenchSettings> {
  if (current === undefined) return resolveConfig(configOf(toolboxes), { env, cwd });
  const { after } = await extendedConfig(current, toolboxes);
  return parseConfig(after, { file: current, env });
}

/** The text of a configuration with further toolboxes. */
async function extendedConfig(
  file: string,
  toolboxes: readonly ProposedToolbox[],
): Promise<ConfigText> {
  const config = await ConfigText.read(file);
  addServers(config, toolboxes);
  return config;
}
