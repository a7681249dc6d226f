import type { Context } from "../core/command.ts";
import { findTrusted } from "../core/consent.ts";
import { type EditReport, applyEdit } from "./apply-edit.ts";
import { ConfigText } from "./config-edit.ts";
import { planConfig } from "./config-file.ts";
import { warnOfViews } from "./warn-of-views.ts";

/** Edits the text of the configuration, checks the result, shows it and writes it. */
export async function editConfig(
  context: Context,
  ask: boolean,
  /** Makes the edit and describes it for `undo`. */
  edit: (config: ConfigText) => string,
): Promise<EditReport> {
  const { file } = await findTrusted(context, context.args.text("config"));
  const config = await ConfigText.read(file);
  const before = namesIn(config);
  const what = edit(config);
  const planned = await planConfig(context, config.file, config.before, config.after);
  const report = await applyEdit(context, planned, { what, ask });
  const after = new Set(namesIn(config));
  const gone = new Set(before.filter((name) => !after.has(name)));
  if (report.changed && gone.size > 0) await warnOfViews(context, gone);
  return report;
}

/** What `--toolbox` and `--server` may name. */
function namesIn({ toolboxes }: ConfigText): readonly string[] {
  return Array.from(toolboxes, ([toolbox, servers]) => [
    toolbox,
    ...Array.from(servers, (server) => `${toolbox}/${server}`),
  ]).flat();
}
