import { dirname, join } from "node:path";

import type { ProposedToolbox } from "../../clients/propose.ts";
import { lineMask } from "../../secrets/in-entry.ts";
import { createFolders } from "../../files/write-atomic.ts";
import { readText } from "../../files/text-file.ts";
import type { Context } from "../core/command.ts";
import { safeText } from "../../text/safe-text.ts";
import { type ConfigEdit, applyConfig, planConfig } from "./config-file.ts";
import { configOf } from "./draft.ts";
import { formatJson } from "./json-layout.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";
import { STARTER_FOLDER, starterConfig } from "./starter.ts";
import { reportWritten } from "./report-written.ts";

/** Plans the configuration for some toolboxes; without any it is a starter configuration. */
export async function planNewConfig(
  context: Context,
  file: string,
  toolboxes: readonly ProposedToolbox[],
): Promise<ConfigEdit> {
  const text =
    toolboxes.length === 0
      ? starterConfig(starterFolder(file))
      : `${formatJson(configOf(toolboxes))}\n`;
  return planConfig(context, file, await readText(file), text);
}

/** Writes the configuration once the user agrees; returns whether it was written. */
export async function writeConfig(
  context: Context,
  edit: ConfigEdit,
  isStarter: boolean,
): Promise<boolean> {
  const { args, out, prompt } = context;
  if (args.flag("dry-run")) {
    out.print(safeText(masked(edit.after).trimEnd()));
    return false;
  }
  const name = shortPath(edit.file, hostInfo(context));
  if (prompt.available && !args.flag("yes")) {
    out.say("");
    if (!(await prompt.confirm(`Write ${name}?`, true))) return false;
  }
  if (isStarter) await createFolders(starterFolder(edit.file));
  const backup = await applyConfig(context, edit, isStarter ? "init (starter)" : "init", true);
  reportWritten(context, edit.file);
  if (backup !== undefined) out.say(`  Backup of the previous file: ${backup}`);
  return true;
}

const starterFolder = (file: string): string => join(dirname(file), STARTER_FOLDER);

/** A configuration with its secrets masked. */
export const masked = (text: string): string => text.split("\n").map(lineMask()).join("\n");
