import { isDeepStrictEqual } from "node:util";

import { workbenchError } from "../errors.ts";
import { unifiedDiff } from "../files/diff.ts";
import { type Editor, type KeyPath, isSyntaxProblem } from "../files/editor.ts";
import { entriesOf, isObject, valueAt } from "../text/json.ts";
import { withFileContext } from "../files/formats.ts";
import type { Launch } from "./entry.ts";
import { type OwnEntry, isOwnEntry, ownEntry } from "./own-entry.ts";
import { parsedFile, readServers } from "./read.ts";
import { editorOf } from "./row-editor.ts";
import { secretsInEntry, lineMask } from "../secrets/in-entry.ts";
import type { ClientRow } from "./types.ts";

/** An entry that was removed from a file and can be restored. */
export interface RemovedEntry {
  readonly path: KeyPath;
  readonly value: unknown;
}

/** A planned change to one client file. */
export interface Plan {
  readonly row: ClientRow;
  readonly file: string;
  /** The folder that the file must stay in; undefined for a file of the user. */
  readonly project?: string | undefined;
  /** Undefined when the file does not exist. */
  readonly before: string | undefined;
  readonly after: string;
  /** With secrets masked; empty when nothing would change. */
  readonly diff: string;
  /** Our entry and its name; undefined when entries are only removed. */
  readonly own: OwnEntry | undefined;
  /** The value that our entry has in the file; undefined if it is new. */
  readonly ownBefore?: unknown;
  /** The key that holds the servers, and how many of its levels do not exist yet. */
  readonly key: KeyPath;
  readonly created: number;
  readonly removed: readonly RemovedEntry[];
}

export interface PlanRequest {
  readonly row: ClientRow;
  readonly file: string;
  readonly text: string | undefined;
  /** How our entry reaches the workbench; without it entries are only removed. */
  readonly launch?: Launch | undefined;
  /** The name of our entry; by default the existing one is updated. */
  readonly name?: string | undefined;
  /** The names of entries that we wrote earlier. */
  readonly recorded?: readonly string[];
  /** Entries that the workbench replaces. Our own entry is never removed. */
  readonly remove?: readonly KeyPath[];
}

/** Plans how to add the workbench to a client's file. An existing workbench entry is updated. */
export async function planEdit(request: PlanRequest): Promise<Plan> {
  const { row, file, text = "", launch, name: wanted, recorded = [] } = request;
  const { editor, document, key } = await parsedFile(row, file, text);
  const own = launch && ownEntry(row, valueAt(document, key), launch, { wanted, recorded });
  const removed = (request.remove ?? [])
    .map((path) => ({ path, value: valueAt(document, path) }))
    .filter(({ path, value }) => value !== undefined && !isOwnEntry(row, path.at(-1) ?? "", value));

  const path = own === undefined ? key : [...key, own.name];
  const after = editing(file, editor, path, own?.value, () => {
    const isThere = own === undefined || isDeepStrictEqual(valueAt(document, path), own.value);
    const added = isThere ? text : editor.set(startText(row, editor, text), path, own.value);
    return removed.reduce((at, gone) => editor.remove(at, gone.path), added);
  });
  const missing = key.filter((_, depth) => !isObject(valueAt(document, key.slice(0, depth + 1))));
  const created = own === undefined ? 0 : missing.length;
  const diff = await maskedDiff(row, file, text, after);
  const ownBefore = own && valueAt(document, path);
  return { row, file, before: request.text, after, diff, own, ownBefore, key, created, removed };
}

/** The text that the client's program wrote, with missing fields added. */
export async function completeEntry(plan: Plan, text: string | undefined): Promise<string> {
  const { row, file, own, key, removed } = plan;
  const editor = await editorOf(row);
  return withFileContext(file, () => {
    let result = text ?? "";
    if (own !== undefined) {
      const path = [...key, own.name];
      const written = valueAt(editor.parse(result), path);
      const wanted = { ...(isObject(written) ? written : {}), ...own.value };
      if (!isDeepStrictEqual(written, wanted)) result = editor.set(result, path, wanted);
    }
    return removed.reduce((rest, gone) => editor.remove(rest, gone.path), result);
  });
}

/** The diff between two versions of a client's file, with secrets masked. */
export async function maskedDiff(
  row: ClientRow,
  file: string,
  before: string,
  after: string,
): Promise<string> {
  const context = { file, scope: "user" } as const;
  const servers = [
    ...(await readServers(row, before, context)),
    ...(await readServers(row, after, context)),
  ];
  const secrets = servers.flatMap(({ entry }) =>
    entry === undefined ? [] : secretsInEntry(entry),
  );
  const editor = await editorOf(row);
  // Files with other settings may have variables of the client itself.
  const variables = [before, after].flatMap((text) =>
    withFileContext(file, () =>
      secretsInEntry({ env: textsIn(valueAt(editor.parse(text), ["env"])) }),
    ),
  );
  const mask = lineMask([...secrets, ...variables].map(({ value }) => value));
  return unifiedDiff(before, after, { from: file, to: file, mask });
}

/** Runs an edit; if the file's layout does not allow it, the error shows what to add by hand. */
export function editing(
  file: string,
  editor: Editor,
  path: KeyPath,
  value: unknown,
  edit: () => string,
): string {
  try {
    return edit();
  } catch (error) {
    if (!isSyntaxProblem(error)) throw error;
    const hint =
      value === undefined ? undefined : `Add this by hand:\n${editor.snippet(path, value)}`;
    const reason = error.at === "" ? error.message : `${error.message} (${error.at})`;
    throw workbenchError("FILE_NOT_EDITABLE", { file, reason }, hint, error);
  }
}

function textsIn(value: unknown): Record<string, string> {
  const texts = entriesOf(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}

/** The text to start from: a new file may need more than servers. */
function startText(row: ClientRow, editor: Editor, text: string): string {
  if (text.trim() !== "") return text;
  const fields = Object.entries(row.newFile?.content ?? {});
  return fields.reduce((at, [key, value]) => editor.set(at, [key], value), text);
}
