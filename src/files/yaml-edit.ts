import { isDeepStrictEqual } from "node:util";
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify } from "yaml";
import type { Node, Pair, ParsedNode, YAMLMap } from "yaml";

import { SyntaxProblem, withoutValue, withValue } from "./editor.ts";
import { valueAt } from "../text/json.ts";
import type { Editor, KeyPath } from "./editor.ts";
import { styleOf } from "./text-file.ts";

type Map = YAMLMap<ParsedNode, ParsedNode | null>;
type Item = Pair<ParsedNode, ParsedNode | null>;

/**
 * Edits YAML block mappings as text. The document API of the parser keeps comments but reformats the
 * whole file; here only the lines of the key in question change. Anything but a plain block mapping is
 * rejected, and every edit is parsed again and compared with the intended value.
 */
export const yaml: Editor = {
  parse: (text) => read(text).value,

  set(text, path, value) {
    const { map, value: before } = read(text);
    if (valueAt(before, path) !== undefined) return yaml.set(yaml.remove(text, path), path, value);
    return checked(insert(text, map, path, value), withValue(before, path, value));
  },

  remove(text, path) {
    const { map, value } = read(text);
    let holder: Map | undefined = map;
    let owner: Item | undefined;
    for (const key of path.slice(0, -1)) {
      owner = holder && itemOf(holder, key);
      holder = isBlockMap(owner?.value) ? owner.value : undefined;
    }
    const item = holder && itemOf(holder, path.at(-1) ?? "");
    if (holder === undefined || item === undefined) {
      if (valueAt(value, path) === undefined) return text;
      throw new SyntaxProblem("it does not use block style (one key per line)");
    }
    const lines = linesOf(text, item);
    let result = text.slice(0, lines.start) + text.slice(lines.end);
    if (holder.items.length === 1 && owner !== undefined) {
      const colon = text.indexOf(":", owner.key.range[1]) + 1;
      result = `${text.slice(0, colon)} {}${result.slice(colon)}`;
    }
    return checked(result, withoutValue(value, path));
  },

  snippet: (path, value) => write(withValue({}, path, value)).trimEnd(),
};

// --- internal ---

function read(text: string): { readonly map: Map | undefined; readonly value: unknown } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new SyntaxProblem(`not valid YAML (${error.message})`, `${line}:${col}`);
  }
  const { contents } = document;
  if (contents === null) return { map: undefined, value: undefined };
  if (!isBlockMap(contents))
    throw new SyntaxProblem("it is not a mapping in block style (one key per line)");
  return { map: contents, value: document.toJS() };
}

const isBlockMap = (node: unknown): node is Map => isMap(node) && node.flow !== true;

function itemOf(map: Map, key: string): Item | undefined {
  return map.items.find((item) => isScalar(item.key) && item.key.value === key);
}

function insert(text: string, root: Map | undefined, path: KeyPath, value: unknown): string {
  const { eol } = styleOf(text);
  let map = root;
  for (const [depth, key] of path.entries()) {
    const rest = withValue({}, path.slice(depth), value);
    if (map === undefined) return addLines(text, text.length, "", rest, eol);
    const item = itemOf(map, key);
    if (item === undefined) {
      const last = map.items.at(-1);
      const at = last === undefined ? text.length : linesOf(text, last).end;
      return addLines(text, at, indentOf(text, last?.key.range[0] ?? 0), rest, eol);
    }
    if (isBlockMap(item.value)) {
      map = item.value;
      continue;
    }
    if (!isEmpty(item.value))
      throw new SyntaxProblem(`'${key}' is not a mapping in block style (one key per line)`);
    const colon = text.indexOf(":", item.key.range[1]) + 1;
    const [from, to] = item.value?.range ?? [colon, colon];
    const emptied = text.slice(0, colon) + text.slice(from === to ? colon : to);
    const indent = `${indentOf(text, item.key.range[0])}  `;
    const inner = withValue({}, path.slice(depth + 1), value);
    return addLines(emptied, lineEnd(emptied, colon), indent, inner, eol);
  }
  return text;
}

function isEmpty(node: ParsedNode | null): boolean {
  if (node === null) return true;
  return (isScalar(node) && node.value === null) || (isMap(node) && node.items.length === 0);
}

function addLines(text: string, at: number, indent: string, value: unknown, eol: string): string {
  const lines = write(value).trimEnd().split("\n");
  const block = lines.map((line) => (line === "" ? "" : indent + line)).join(eol);
  const before = text.slice(0, at);
  const isEnded = before === "" || before.endsWith("\n");
  return isEnded
    ? `${before}${block}${eol}${text.slice(at)}`
    : `${before}${eol}${block}${text.slice(at)}`;
}

/** The lines of one key, including its value. */
function linesOf(text: string, item: Item): { readonly start: number; readonly end: number } {
  const start = text.lastIndexOf("\n", item.key.range[0] - 1) + 1;
  const end = lineEnd(text, lastOffset(item));
  // If the last line of the file has no line break, the one before it is removed.
  const isOpen = !text.slice(start, end).endsWith("\n");
  const breakLength = /\r?\n$/.exec(text.slice(0, start))?.[0].length ?? 0;
  return { start: isOpen ? start - breakLength : start, end };
}

/** The end of a key and its value, without the comments that follow. */
function lastOffset(item: Item): number {
  const { key, value } = item;
  if (!isNode(value)) return key.range[1];
  return Math.max(key.range[1], lastOf(value));
}

function lastOf(node: Node): number {
  const end = node.range?.[1] ?? 0;
  if (isBlockMap(node)) {
    const last = node.items.at(-1);
    return last === undefined ? end : lastOffset(last);
  }
  const last = isSeq(node) && node.flow !== true ? node.items.at(-1) : undefined;
  return isNode(last) ? lastOf(last) : end;
}

function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const found = text.indexOf("\n", offset);
  return found === -1 ? text.length : found + 1;
}

function indentOf(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ ]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function write(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

function checked(result: string, expected: unknown): string {
  if (isDeepStrictEqual(read(result).value ?? {}, expected)) return result;
  throw new SyntaxProblem("its layout can only be edited by hand");
}
