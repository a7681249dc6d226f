import { isDeepStrictEqual } from "node:util";

import { workbenchError } from "../errors.ts";
import { unifiedDiff } from "../files/diff.ts";
import { type Editor, type KeyPath, isSyntaxProblem } from "../files/editor.ts";
import { isObject, valueAt } from "../text/json.ts";
import { editorFor, withFileContext } from "../files/formats.ts";
import { canonicalEntry } from "./canonical.ts";
import { ENTRY_NAME, type Launch, entryFor, runsWorkbench } from "./entry.ts";
import { claimName } from "./names.ts";
import { readServers, serversKey } from "./read.ts";
import { secretsInEntry, lineMask } from "../secrets/in-entry.ts";
import type { ClientRow } from "./types.ts";

/** An entry that was removed from a file and can be restored. */
export interface RemovedEntry {
  readonly path: KeyPath;
  readonly value: unknown;
}

export interface OwnEntry {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** An existing entry is updated. */
  readonly isUpdate: boolean;
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
  /** Entries that the workbench replaces. Our own entry is never removed. */
  readonly remove?: readonly KeyPath[];
}

/** Plans how to add the workbench to a client's file. An existing workbench entry is updated. */
export async function planEdit(request: PlanRequest): Promise<Plan> {
  const { row, file, text = "", launch } = request;
  const editor = await editorFor(row.format);
  const document = withFileContext(file, () => editor.parse(text));
  const key = serversKey(row, document);
  const own = launch && ownEntry(row, valueAt(document, key), launch);
  const removed = (request.remove ?? [])
    .map((path) => ({ path, value: valueAt(document, path) }))
    .filter(({ value }) => value !== undefined && !isOurs(row, value));

  const path = own === undefined ? key : [...key, own.name];
  const after = editing(file, editor, path, own?.value, () => {
    const isThere = own === undefined || isDeepStrictEqual(valueAt(document, path), own.value);
    const added = isThere ? text : editor.set(text, path, own.value);
    return removed.reduce((at, gone) => editor.remove(at, gone.path), added);
  });
  const missing = key.filter((_, depth) => !isObject(valueAt(document, key.slice(0, depth + 1))));
  const created = own === undefined ? 0 : missing.length;
  const diff = await maskedDiff(row, file, text, after);
  return { row, file, before: request.text, after, diff, own, key, created, removed };
}

/** The text that the client's program wrote, with missing fields added. */
export async function completeEntry(plan: Plan, text: string | undefined): Promise<string> {
  const { row, file, own, key, removed } = plan;
  const editor = await editorFor(row.format);
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

/** The names of the entries that start the workbench. */
export function ownNames(row: ClientRow, servers: unknown): readonly string[] {
  if (!isObject(servers)) return [];
  return Object.keys(servers).filter((name) => isOurs(row, servers[name]));
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
  const mask = lineMask(secrets.map(({ value }) => value));
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

// --- internal ---

function isOurs(row: ClientRow, raw: unknown): boolean {
  const { entry } = canonicalEntry(raw, { syntax: row.variables });
  return entry !== undefined && runsWorkbench(entry);
}

function freeName(servers: unknown): string {
  const taken = isObject(servers) ? Object.keys(servers).map((name) => name.toLowerCase()) : [];
  return claimName([ENTRY_NAME, `mcp-${ENTRY_NAME}`], new Set(taken));
}

function ownEntry(row: ClientRow, servers: unknown, launch: Launch): OwnEntry {
  const [known] = ownNames(row, servers);
  const name = known ?? freeName(servers);
  const value = merged(valueAt(servers, [name]), entryFor(row, launch, name));
  return { name, value, isUpdate: known !== undefined };
}

/** Keeps what users added to our entry, such as variables. */
function merged(existing: unknown, entry: Record<string, unknown>): Record<string, unknown> {
  const isSameKind =
    isObject(existing) && ["command", "cmd"].some((field) => field in existing && field in entry);
  return isSameKind ? { ...existing, ...entry } : entry;
}
