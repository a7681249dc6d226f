import { readText } from "../files/text-file.ts";
import { isHookFile } from "./hook-file.ts";
import { recordInEffect, textBeforeLast } from "./install-record.ts";
import { readRecord } from "./journal.ts";
import { maskedDiff } from "./plan.ts";
import { assertProjectFile } from "./project-file.ts";
import type { ClientRow } from "./types.ts";
import { revertByEdit } from "./undo-edit.ts";
import type { UndoPlan } from "./undo-plan.ts";
import { planUninstall } from "./uninstall.ts";

/**
 * Plans how to undo the last installation into a file. What earlier installations did stays; if there
 * are none, this is `uninstall`.
 */
export async function planUndo(row: ClientRow, file: string, stateDir: string): Promise<UndoPlan> {
  const text = await readText(file);
  const record = recordInEffect(await readRecord(stateDir, file), text ?? "");
  if (text === undefined || record?.earlier === undefined)
    return planUninstall(row, file, stateDir);
  if (record.project !== undefined) assertProjectFile(file, record.project);
  const exact = textBeforeLast(text, record);
  if (exact === undefined && isHookFile(row, file)) return planUninstall(row, file, stateDir);
  const after = exact ?? (await revertByEdit(row, file, text, record));
  const diff = await maskedDiff(row, file, text, after);
  const remaining = { record: record.earlier };
  return { row, file, before: text, after, diff, exact: exact !== undefined, record, remaining };
}
