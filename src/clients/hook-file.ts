import { basename } from "node:path";

import { workbenchError } from "../errors.ts";
import type { KeyPath } from "../files/editor.ts";
import { withFileContext } from "../files/formats.ts";
import { readText } from "../files/text-file.ts";
import { assertWritable } from "../files/write-atomic.ts";
import { isObject, valueAt } from "../text/json.ts";
import { hookEntry, isOwnHook } from "./hook-entry.ts";
import { type HostInfo, resolvePath } from "./paths.ts";
import { type Plan, editing, maskedDiff } from "./plan.ts";
import { editorOf } from "./row-editor.ts";
import type { ClientRow } from "./types.ts";

const KEY: KeyPath = ["hooks", "PreToolUse"];

/** The file in which a client keeps its hooks; undefined if it has none that can ask us. */
export function hookFile({ hooks }: ClientRow, host: HostInfo): string | undefined {
  if (hooks === undefined) return undefined;
  return resolvePath(hooks.override, host) ?? resolvePath(hooks.file, host);
}

export function isHookFile({ hooks }: ClientRow, file: string): boolean {
  return hooks !== undefined && basename(file) === basename(hooks.file);
}

/** One of our hooks in a file. */
export interface FoundHook {
  readonly matcher: string;
  readonly command: string;
  /** Where it is in the lists. */
  readonly at: readonly [element: number, hook: number];
  /** Whether there is nothing else in its element. */
  readonly isAlone: boolean;
}

/** Our hooks in the text of a file. */
export async function findHooks(row: ClientRow, file: string, text: string): Promise<FoundHook[]> {
  const editor = await editorOf(row);
  const list = valueAt(
    withFileContext(file, () => editor.parse(text)),
    KEY,
  );
  if (!Array.isArray(list)) return [];
  return list.flatMap((element: unknown, i) => {
    const hooks = isObject(element) ? element["hooks"] : undefined;
    if (!Array.isArray(hooks)) return [];
    const matcher = String(valueAt(element, ["matcher"]));
    return hooks.flatMap((hook: unknown, j): FoundHook[] => {
      if (!isOwnHook(hook)) return [];
      const isAlone = hooks.length === 1;
      return [{ matcher, command: hook.command, at: [i, j], isAlone }];
    });
  });
}

/** Plans how to add the hook for our entry of this name; an older one of that entry is replaced. */
export async function planHook(
  row: ClientRow,
  host: HostInfo,
  { name, command }: { readonly name: string; readonly command: string },
): Promise<Plan> {
  const file = hookFile(row, host);
  if (file === undefined) throw noHooks(row);
  await assertWritable(file);
  const before = await readText(file);
  const text = before ?? "";
  const entry = hookEntry(name, command);
  const own = (await findHooks(row, file, text)).filter(({ matcher }) => matcher === entry.matcher);
  const isThere = own.length === 1 && own[0]?.command === command;
  const after = isThere
    ? text
    : await withHook(row, file, await withoutHooks(row, file, text, own), entry);
  const diff = await maskedDiff(row, file, text, after);
  return { row, file, before, after, diff, own: undefined, key: KEY, created: 0, removed: [] };
}

/** The text without these hooks. Lists that become empty are removed, too. */
export async function withoutHooks(
  row: ClientRow,
  file: string,
  text: string,
  hooks: readonly FoundHook[],
): Promise<string> {
  const editor = await editorOf(row);
  const { removeElement } = await import("../files/jsonc-list.ts");
  return editing(file, editor, KEY, undefined, () => {
    let result = text;
    // The last first, so that the positions of the others stay.
    for (const {
      at: [element, hook],
      isAlone,
    } of hooks.toReversed())
      result = isAlone
        ? removeElement(editor, result, KEY, element)
        : removeElement(editor, result, [...KEY, element, "hooks"], hook);
    if (hooks.length === 0) return result;
    for (let depth = KEY.length; depth > 0; depth -= 1) {
      const value = valueAt(editor.parse(result), KEY.slice(0, depth));
      if (!isEmpty(value)) break;
      result = editor.remove(result, KEY.slice(0, depth));
    }
    return result;
  });
}

export function noHooks({ label }: ClientRow): Error {
  const reason = `--approvals is for Claude Code; ${label} has no hook that can ask the workbench`;
  const hint =
    "Its own dialog shows 'use_tool'; questions of a policy are shown in forms or by mcp-workbench approvals";
  return workbenchError("USAGE", { reason }, hint);
}

async function withHook(
  row: ClientRow,
  file: string,
  text: string,
  entry: object,
): Promise<string> {
  const editor = await editorOf(row);
  const { appendElement } = await import("../files/jsonc-list.ts");
  return editing(file, editor, KEY, [entry], () => appendElement(editor, text, KEY, entry));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
