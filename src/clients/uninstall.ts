import { rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { workbenchError } from "../errors.ts";
import { assertWritable, backUp, writeFileAtomic } from "../files/atomic.ts";
import { valueAt } from "../files/editing.ts";
import type { Editor } from "../files/editing.ts";
import { editorFor, inFile } from "../files/formats.ts";
import { fingerprint, undoSplice } from "../files/splice.ts";
import { readText } from "../files/text.ts";
import { dropRecord, readRecord } from "./journal.ts";
import type { InstallRecord } from "./journal.ts";
import type { HostInfo } from "./paths.ts";
import { editing, maskedDiff, ownNames } from "./plan.ts";
import { fillArguments, findProgram, runProgram } from "./program.ts";
import { assertInsideProject } from "./project-file.ts";
import { serversKey } from "./read.ts";
import type { ClientRow } from "./types.ts";

/** What uninstalling would do to one file. */
export interface UndoPlan {
  readonly row: ClientRow;
  readonly file: string;
  readonly before: string | undefined;
  /** Undefined when the file goes, because the installation created it. */
  readonly after: string | undefined;
  readonly diff: string;
  /** True when the file becomes byte for byte what it was before the installation. */
  readonly exact: boolean;
  readonly record: InstallRecord | undefined;
}

/**
 * Plans how the workbench leaves a file. A file that nobody changed since becomes exactly what it
 * was; in any other our entry is taken out, and entries that made room for it are put back.
 */
export async function planUninstall(
  row: ClientRow,
  file: string,
  stateDir: string,
): Promise<UndoPlan> {
  const record = await readRecord(stateDir, file);
  if (record?.project !== undefined) assertInsideProject(file, record.project);
  const before = await readText(file);
  const common = { row, file, before, record };
  if (before === undefined) return { ...common, after: undefined, diff: "", exact: true };
  await assertWritable(file);
  const exact = record && exactUndo(before, record);
  const after = exact === undefined ? await undoByEdit(row, file, before, record) : exact.text;
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

/** Does what the plan says, atomically and with a backup. */
export async function applyUninstall(
  plan: UndoPlan,
  options: UninstallOptions,
): Promise<Uninstalled> {
  const { row, file, before, record, exact } = plan;
  const { stateDir, host, now = new Date() } = options;
  if (record?.project !== undefined) assertInsideProject(file, record.project);
  if ((await readText(file)) !== before) {
    throw workbenchError("FILE_CHANGED", { file }, "Run the command again");
  }
  const changed = before !== plan.after;
  let backup: string | undefined;
  if (changed && before !== undefined) {
    backup = await backUp(file, join(stateDir, "backups"), now);
    let { after } = plan;
    let text: string | undefined = before;
    if (!exact && record?.via === "program" && (await removedByProgram(row, record, host))) {
      text = await readText(file);
      after = text === undefined ? undefined : await undoByEdit(row, file, text, record);
    }
    if (after === undefined) await unlink(file);
    else if (after !== text) await writeFileAtomic(file, after, { expect: { text } });
  }
  // A folder of ours goes only when nothing else has moved in.
  for (const folder of record?.createdFolders ?? []) await rmdir(folder).catch(() => undefined);
  await dropRecord(stateDir, file);
  return { file, changed, exact, backup };
}

// --- internal ---

/** The text before the installation, if the file is still what the installation left. */
function exactUndo(
  text: string,
  record: InstallRecord,
): { readonly text: string | undefined } | undefined {
  if (fingerprint(text) === record.before) return { text };
  if (fingerprint(text) !== record.after) return undefined;
  const original = undoSplice(text, record.splice);
  if (fingerprint(original) !== record.before) return undefined;
  return { text: record.createdFile ? undefined : original };
}

async function undoByEdit(
  row: ClientRow,
  file: string,
  text: string,
  record: InstallRecord | undefined,
): Promise<string | undefined> {
  const editor = await editorFor(row.format);
  const document = inFile(file, () => editor.parse(text));
  const key = serversKey(row, document);
  const names = ownNames(row, valueAt(document, key));
  const result = editing(file, editor, key, undefined, () => {
    let at = names.reduce((rest, name) => editor.remove(rest, [...key, name]), text);
    for (const { path, value } of record?.removed ?? []) {
      if (valueAt(editor.parse(at), path) === undefined) at = editor.set(at, path, value);
    }
    return record === undefined ? at : prune(editor, at, record);
  });
  const isEmptied = isDeepStrictEqual(editor.parse(result) ?? {}, {});
  return record?.createdFile === true && isEmptied ? undefined : result;
}

/** Takes out again the levels of the key that the installation had to create, if they are empty. */
function prune(editor: Editor, text: string, { key, created }: InstallRecord): string {
  let result = text;
  for (let depth = key.length; depth > key.length - created; depth -= 1) {
    const path = key.slice(0, depth);
    if (!isDeepStrictEqual(valueAt(editor.parse(result), path), {})) break;
    result = editor.remove(result, path);
  }
  return result;
}

async function removedByProgram(
  { program }: ClientRow,
  { name }: InstallRecord,
  host: HostInfo,
): Promise<boolean> {
  const path = program && (await findProgram(program.binary, host));
  if (program === undefined || path === undefined || name === undefined) return false;
  const values = { name, command: "", args: [], json: "" };
  return (await runProgram(path, fillArguments(program.remove, values), host)) === undefined;
}
