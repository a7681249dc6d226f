import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

import { findProgram } from "../../clients/program.ts";
import type { FoundServer } from "../../clients/read.ts";
import { type ServedView, servedView } from "../../clients/served-view.ts";
import { parseConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { isWorkbenchError } from "../../errors.ts";
import { readText } from "../../files/text-file.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { ownCommand } from "../core/own-command.ts";
import { missingInView } from "../setup/install-view.ts";
import type { Check } from "./check.ts";

/** What is wrong with an entry, or what it does. */
export type Finding = Pick<Check, "status" | "message" | "fix">;

/** Checks an entry that starts the workbench: its program, configuration, toolboxes and server. */
export async function checkProgramEntry(
  context: Context,
  { client, entry, name }: FoundServer,
  settings: WorkbenchSettings | undefined,
): Promise<Finding> {
  const words = [entry?.command ?? "", ...(entry?.args ?? [])];
  const view = servedView(words);
  const fix = `${ownCommand(context)} install ${client}`;
  const file = await missingFile(context, words, view);
  if (file !== undefined)
    return { status: "error", message: `its entry '${name}' names ${file}`, fix };
  const served = await servedSettings(context, view, settings);
  const missing = served && missingInView(view, served);
  if (missing !== undefined)
    return {
      status: "error",
      message: `its entry '${name}' shows something that the configuration does not have: ${missing.reason}`,
      fix: `${fix} --name ${name} with another --toolbox or --server. ${missing.hint}`,
    };
  return { status: "ok", message: `starts the workbench as '${name}'${shown(view)}` };
}

function shown({ toolboxes, server }: ServedView): string {
  if (server !== undefined) return `, server ${server}`;
  if (toolboxes.length === 0) return "";
  return `, ${toolboxes.length === 1 ? "toolbox" : "toolboxes"} ${toolboxes.join(", ")}`;
}

/** The file that our entry names but that does not exist. */
async function missingFile(
  context: Context,
  [command = "", script = ""]: readonly string[],
  { config }: ServedView,
): Promise<string | undefined> {
  const host = hostInfo(context);
  if (isAbsolute(command) ? !existsSync(command) : findProgram(command, host) === undefined)
    return `the program ${command}, which does not exist`;
  if (isAbsolute(script) && !existsSync(script)) return `${script}, which does not exist`;
  if (config !== undefined && isAbsolute(config) && !existsSync(config))
    return `the configuration ${config}, which does not exist`;
  return undefined;
}

/** The settings that the entry serves; undefined if no view has to be checked or they cannot be read. */
async function servedSettings(
  { env }: Context,
  { config, toolboxes, server }: ServedView,
  settings: WorkbenchSettings | undefined,
): Promise<WorkbenchSettings | undefined> {
  if (toolboxes.length === 0 && server === undefined) return undefined;
  if (config === undefined || config === settings?.file) return settings;
  try {
    const text = isAbsolute(config) ? await readText(config) : undefined;
    return text === undefined ? undefined : await parseConfig(text, { file: config, env });
  } catch (error) {
    if (isWorkbenchError(error)) return undefined;
    throw error;
  }
}
