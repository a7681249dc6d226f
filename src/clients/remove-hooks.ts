import { readText } from "../files/text-file.ts";
import { assertWritable } from "../files/write-atomic.ts";
import { hookEntry } from "./hook-entry.ts";
import { findHooks, isHookFile, withoutHooks } from "./hook-file.ts";
import { originalText, recordAfter, recordInEffect } from "./install-record.ts";
import { readRecord } from "./journal.ts";
import { maskedDiff } from "./plan.ts";
import type { ClientRow } from "./types.ts";
import type { UndoPlan } from "./undo-plan.ts";

/**
 * Plans how to remove our hooks from the file of a client. With a name, those for other entries stay.
 * A file that has not been edited since is restored exactly. Undefined if it is not the file for hooks.
 */
export async function planHookRemoval(
  row: ClientRow,
  file: string,
  stateDir: string,
  name?: string,
): Promise<UndoPlan | undefined> {
  if (!isHookFile(row, file)) return undefined;
  const before = await readText(file);
  const record = recordInEffect(await readRecord(stateDir, file), before ?? "");
  const common = { row, file, before, record };
  if (before === undefined) return { ...common, after: undefined, diff: "", exact: true };
  await assertWritable(file);
  const found = await findHooks(row, file, before);
  const matcher = name === undefined ? undefined : hookEntry(name, "").matcher;
  const gone = found.filter((hook) => matcher === undefined || hook.matcher === matcher);
  const hasOthers = gone.length < found.length;
  const exact = record === undefined || hasOthers ? undefined : originalText(before, record);
  const without = exact === undefined ? await withoutHooks(row, file, before, gone) : undefined;
  const isEmptied = record?.createdFile === true && /^\s*\{\s*\}\s*$/.test(without ?? "");
  const after = exact === undefined ? (isEmptied ? undefined : without) : exact.text;
  const diff = await maskedDiff(row, file, before, after ?? "");
  const remaining = { record: record && recordAfter(record, before, after ?? "") };
  return { ...common, after, diff, exact: exact !== undefined, ...(hasOthers && { remaining }) };
}
