import type { Context } from "../core/command.ts";
import { safeText } from "../../text/safe-text.ts";
import { type ConfigEdit, applyConfig } from "../../config/edits/config-edits.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";
import { reportWritten } from "./report-written.ts";

/** The report of every command that edits a configuration. */
export interface EditReport {
  readonly file: string;
  readonly changed: boolean;
  readonly diff: string;
  readonly backup: string | null;
}

export interface EditOptions {
  /** Description of the edit, shown by `undo`. */
  readonly what: string;
  /** Whether to ask first. */
  readonly ask: boolean;
}

/** Shows an edit, asks if required, and applies it unless this is a dry run. */
export async function applyEdit(
  context: Context,
  edit: ConfigEdit,
  { what, ask }: EditOptions,
): Promise<EditReport> {
  const { args, out, prompt } = context;
  const { file, diff } = edit;
  const unchanged = { file, changed: false, diff, backup: null };
  if (edit.before === edit.after) return unchanged;
  const shown = safeText(diff.trimEnd());
  if (args.flag("dry-run")) {
    out.print(shown);
    return unchanged;
  }
  out.say(shown);
  const question = `Write this to ${shortPath(file, hostInfo(context))}?`;
  if (ask && prompt.available && !(await prompt.confirm(question, true))) {
    out.say("Nothing was changed.");
    return unchanged;
  }
  const backup = await applyConfig(context, edit, what);
  reportWritten(context, file);
  return { ...unchanged, changed: true, backup: backup ?? null };
}
