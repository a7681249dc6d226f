import { isDeepStrictEqual } from "node:util";
import { applyEdits, findNodeAtLocation, modify, parseTree } from "jsonc-parser";

import { valueAt } from "../text/json.ts";
import { type Editor, SyntaxProblem } from "./editor.ts";
import { styleOf } from "./text-file.ts";

/* The editor of JSON files is passed in, because this file may be in another bundle. */

/** The keys and positions that lead to a list. */
type ListPath = readonly (string | number)[];

/** The JSON document with a value at the end of a list, which is created if it is missing. */
export function appendElement(
  jsonc: Editor,
  text: string,
  path: readonly string[],
  value: unknown,
): string {
  const list = valueAt(jsonc.parse(text), path);
  if (list === undefined) return jsonc.set(text, path, [value]);
  if (!Array.isArray(list)) throw notList(path);
  const root = parseTree(text);
  const last = root && findNodeAtLocation(root, [...path])?.children?.at(-1);
  if (last === undefined) return jsonc.set(text, path, [value]);
  const end = last.offset + last.length;
  const added = text.slice(0, end) + separated(text, last.offset, value) + text.slice(end);
  return checked(jsonc, added, path, [...(list as unknown[]), value]);
}

/** The JSON document without one element of a list. */
export function removeElement(jsonc: Editor, text: string, path: ListPath, index: number): string {
  const list = valueAt(jsonc.parse(text), path);
  if (!Array.isArray(list)) throw notList(path);
  // Without formatting, the text of the other elements stays.
  const result = applyEdits(text, modify(text, [...path, index], undefined, {}));
  return checked(jsonc, result, path, list.toSpliced(index, 1));
}

/** The text of a further element: on its own lines if the element before it begins a line. */
function separated(text: string, lastStart: number, value: unknown): string {
  const { eol, indent } = styleOf(text);
  const lineStart = text.lastIndexOf("\n", lastStart - 1) + 1;
  const before = text.slice(lineStart, lastStart);
  if (before.trim() !== "" || lineStart === 0) return `, ${JSON.stringify(value)}`;
  const lines = JSON.stringify(value, undefined, indent).split("\n");
  return `,${eol}${lines.map((line) => before + line).join(eol)}`;
}

function notList(path: ListPath): SyntaxProblem {
  return new SyntaxProblem(`'${path.join(".")}' is not a list`);
}

function checked(
  jsonc: Editor,
  text: string,
  path: ListPath,
  expected: readonly unknown[],
): string {
  if (isDeepStrictEqual(valueAt(jsonc.parse(text), path), expected)) return text;
  throw new SyntaxProblem(`'${path.join(".")}' cannot be edited`);
}
