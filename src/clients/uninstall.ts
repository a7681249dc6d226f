import { rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

import { workbenchError } from "../errors.ts";
import { assertWritable, backUp, writeFileAtomic } from "../files/write-atomic.ts";
import { readText } from "../files/text-file.ts";
import { originalText, recordAfter, recordInEffect } from "./install-record.ts";
import { type InstallRecord, dropRecord, readRecord, writeRecord } from "./journal.ts";
import type { HostInfo } from "./paths.ts";
import { maskedDiff } from "./plan.ts";
import { fillArguments, findProgram, runProgram } from "./program.ts";
import { assertProjectFile } from "./project-file.ts";
import { planHookRemoval } from "./remove-hooks.ts";
import type { ClientRow } from "./types.ts";
import { hasOthers, removeByEdit, removeEntry } from "./undo-edit.ts";
import type { UndoPlan } from "./undo-plan.ts";

/**
 * Plans how to remove the workbench from a file. A file that has not been edited since is restored
 * exactly; in any other our entry is removed and the entries it replaced are restored. With a name, other
 * entries for the workbench stay, and so does what they replaced.
 */
export async function planUninstall(
  row: ClientRow,
  file: string,
  stateDir: string,
  name?: string,
): Promise<UndoPlan> {
  const hooks = await planHookRemoval(row, file, stateDir, name);
  if (hooks !== undefined) return hooks;
  const before = await readText(file);
  const record = recordInEffect(await readRecord(stateDir, file), before ?? "");
  if (record?.project !== undefined) assertProjectFile(file, record.project);
  const common = { row, file, before, record };
  if (before === undefined) return { ...common, after: undefined, diff: "", exact: true };
  await assertWritable(file);
  if (name !== undefined && (await hasOthers(row, file, before, { name, record }))) {
    const after = await removeEntry(row, file, before, name);
    const remaining = { record: record && recordAfter(record, before, after) };
    const diff = await maskedDiff(row, file, before, after);
    return { ...common, after, diff, exact: false, remaining };
  }
  const exact = record && originalText(before, record);
  const after = exact === undefined ? await removeByEdit(row, file, before, record) : exact.text;
  const diff = await maskedDiff(row, file, before, after ?? "");
  return { ...common, after, diff, exact: exact !== undefined };
}

export interface UninstallOptions {
  readonly stateDir: string;
  readonly host: HostInfo;
  readonly now?: Date;
}

export interface Uninstalled {
  readonly file: string;
  readonly changed: boolean;
  readonly exact: boolean;
  readonly backup: string | undefined;
}

/** Applies the plan, atomically and with a backup. */
export async function applyUninstall(
  plan: UndoPlan,
  options: UninstallOptions,
): Promise<Uninstalled> {
  const { row, file, before, record, exact } = plan;
  const { stateDir, host, now = new Date() } = options;
  if (record?.project !== undefined) assertProjectFile(file, record.project);
  if ((await readText(file)) !== before) {
    throw workbenchError("FILE_CHANGED", { file }, "Run the command again");
  }
  const changed = before !== plan.after;
  let backup: string | undefined;
  if (changed && before !== undefined) {
    backup = await backUp(file, join(stateDir, "backups"), now);
    let { after } = plan;
    let text: string | undefined = before;
    const byProgram = !exact && record?.via === "program" && plan.remaining === undefined;
    if (byProgram && (await removedByProgram(row, record, host))) {
      text = await readText(file);
      after = text === undefined ? undefined : await removeByEdit(row, file, text, record);
    }
    if (after === undefined) await unlink(file);
    else if (after !== text) await writeFileAtomic(file, after, { expect: { text } });
  }
  if (plan.remaining !== undefined) {
    if (plan.remaining.record !== undefined) await writeRecord(stateDir, plan.remaining.record);
    return { file, changed, exact, backup };
  }
  // A folder that we created is removed only if it is empty.
  for (const folder of record?.createdFolders ?? []) await rmdir(folder).catch(() => undefined);
  await dropRecord(stateDir, file);
  return { file, changed, exact, backup };
}

async function removedByProgram(
  { program }: ClientRow,
  { name }: InstallRecord,
  host: HostInfo,
): Promise<boolean> {
  const path = program && findProgram(program.binary, host);
  if (program === undefined || path === undefined || name === undefined) return false;
  return (await runProgram(path, fillArguments(program.remove, { name }), host)) === undefined;
}
