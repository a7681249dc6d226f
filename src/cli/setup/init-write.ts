import { lineMask } from "../../secrets/in-entry.ts";
import { createFolders } from "../../files/write-atomic.ts";
import type { Context } from "../core/command.ts";
import { safeText } from "../../text/safe-text.ts";
import { type ConfigEdit, applyConfig } from "../../config/edits/config-edits.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";
import { starterFolder } from "./starter.ts";
import { reportWritten } from "./report-written.ts";

/** Writes the configuration once the user agrees; returns whether it was written. */
export async function writeConfig(
  context: Context,
  edit: ConfigEdit,
  { isStarter, keeps }: { readonly isStarter: boolean; readonly keeps: boolean },
): Promise<boolean> {
  const { args, out, prompt } = context;
  if (args.flag("dry-run")) {
    out.print(safeText(masked(edit.after).trimEnd()));
    return false;
  }
  if (edit.before === edit.after) return true;
  const name = shortPath(edit.file, hostInfo(context));
  if (prompt.available && !args.flag("yes")) {
    out.say("");
    if (!(await prompt.confirm(`Write ${name}?`, true))) return false;
  }
  if (isStarter) await createFolders(starterFolder(edit.file));
  const backup = await applyConfig(context, edit, isStarter ? "init (starter)" : "init", !keeps);
  reportWritten(context, edit.file);
  if (backup !== undefined) out.say(`  Backup of the previous file: ${backup}`);
  return true;
}

/** A configuration with its secrets masked. */
export const masked = (text: string): string => text.split("\n").map(lineMask()).join("\n");
