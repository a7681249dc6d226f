import { isDeepStrictEqual } from "node:util";

import { workbenchError } from "../errors.ts";
import type { Editor } from "../files/editor.ts";
import { valueAt } from "../text/json.ts";
import { type InstallRecord, recordedNames } from "./journal.ts";
import { ownNames } from "./own-entry.ts";
import { editing } from "./plan.ts";
import { parsedFile } from "./read.ts";
import type { ClientRow } from "./types.ts";

/** Removes our entry from a text and restores the entries it replaced. */
export async function removeByEdit(
  row: ClientRow,
  file: string,
  text: string,
  record: InstallRecord | undefined,
): Promise<string | undefined> {
  const { editor, document, key } = await parsedFile(row, file, text);
  const names = ownNames(row, valueAt(document, key), recordedNames(record));
  const result = editing(file, editor, key, undefined, () => {
    const without = names.reduce((rest, name) => editor.remove(rest, [...key, name]), text);
    const at = restored(editor, without, record?.removed ?? []);
    return record === undefined ? at : prune(editor, at, record);
  });
  const empty = row.newFile?.content ?? {};
  const isEmptied = isDeepStrictEqual(editor.parse(result) ?? {}, empty);
  return record?.createdFile === true && isEmptied ? undefined : result;
}

/** Whether a text has other entries for the workbench than this one. Throws if it does not have this one. */
export async function hasOthers(
  row: ClientRow,
  file: string,
  text: string,
  { name, record }: { readonly name: string; readonly record: InstallRecord | undefined },
): Promise<boolean> {
  const { document, key } = await parsedFile(row, file, text);
  const servers = valueAt(document, key);
  const names = ownNames(row, servers, recordedNames(record));
  if (names.includes(name)) return names.length > 1;
  const reason = `${row.label} has no entry '${name}' for the workbench`;
  const hint = names.length === 0 ? undefined : `It has ${names.join(", ")}`;
  throw workbenchError("USAGE", { reason }, hint);
}

/** Removes one entry from a text. */
export async function removeEntry(
  row: ClientRow,
  file: string,
  text: string,
  name: string,
): Promise<string> {
  const { editor, key } = await parsedFile(row, file, text);
  return editing(file, editor, key, undefined, () => editor.remove(text, [...key, name]));
}

/** Reverts one installation in a text: our entry gets its old value, and removed entries come back. */
export async function revertByEdit(
  row: ClientRow,
  file: string,
  text: string,
  record: InstallRecord,
): Promise<string> {
  const { name = "", value, removed = [] } = record.own ?? {};
  const { editor, document, key } = await parsedFile(row, file, text);
  const isThere = ownNames(row, valueAt(document, key), recordedNames(record)).includes(name);
  return editing(file, editor, key, undefined, () => {
    const revert = value === undefined ? editor.remove : editor.set;
    return restored(editor, isThere ? revert(text, [...key, name], value) : text, removed);
  });
}

/** The text with removed entries that it does not have. */
function restored(editor: Editor, text: string, removed: InstallRecord["removed"]): string {
  let at = text;
  for (const { path, value } of removed)
    if (valueAt(editor.parse(at), path) === undefined) at = editor.set(at, path, value);
  return at;
}

/** Removes the levels of the key that the installation created, if they are empty. */
function prune(editor: Editor, text: string, { key, created }: InstallRecord): string {
  let result = text;
  for (let depth = key.length; depth > key.length - created; depth -= 1) {
    const path = key.slice(0, depth);
    if (!isDeepStrictEqual(valueAt(editor.parse(result), path), {})) break;
    result = editor.remove(result, path);
  }
  return result;
}
