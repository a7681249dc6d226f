import type { Context } from "../core/command.ts";
import { findTrusted } from "../core/consent.ts";
import { type EditReport, applyEdit } from "./apply-edit.ts";
import { ConfigText } from "./config-edit.ts";
import { planConfig } from "./config-file.ts";

/** Edits the text of the configuration, checks the result, shows it and writes it. */
export async function editConfig(
  context: Context,
  ask: boolean,
  /** Makes the edit and describes it for `undo`. */
  edit: (config: ConfigText) => string,
): Promise<EditReport> {
  const { file } = await findTrusted(context, context.args.text("config"));
  const config = await ConfigText.read(file);
  const what = edit(config);
  const planned = await planConfig(context, config.file, config.before, config.after);
  return applyEdit(context, planned, { what, ask });
}
