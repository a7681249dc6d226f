import { isDeepStrictEqual } from "node:util";
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify } from "yaml";
import type { Node, Pair, ParsedNode, YAMLMap } from "yaml";

import { SyntaxProblem } from "./editor.ts";

/* Where the parts of a YAML document are in its text. */

export type Map = YAMLMap<ParsedNode, ParsedNode | null>;
export type Item = Pair<ParsedNode, ParsedNode | null>;

export function read(text: string): { readonly map: Map | undefined; readonly value: unknown } {
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

export const isBlockMap = (node: unknown): node is Map => isMap(node) && node.flow !== true;

export function itemOf(map: Map, key: string): Item | undefined {
  return map.items.find((item) => isScalar(item.key) && item.key.value === key);
}

export function addLines(
  text: string,
  at: number,
  indent: string,
  value: unknown,
  eol: string,
): string {
  const lines = write(value).trimEnd().split("\n");
  const block = lines.map((line) => (line === "" ? "" : indent + line)).join(eol);
  const before = text.slice(0, at);
  const isEnded = before === "" || before.endsWith("\n");
  return isEnded
    ? `${before}${block}${eol}${text.slice(at)}`
    : `${before}${eol}${block}${text.slice(at)}`;
}

/** Whole lines of a text. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** The lines of one key, including its value. */
export function linesOf(text: string, item: Item): Lines {
  return wholeLines(text, item.key.range[0], lastOffset(item));
}

/** The lines from one offset to another. */
export function wholeLines(text: string, from: number, to: number): Lines {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = lineEnd(text, to);
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

/** The end of a value, without the comments that follow. */
export function lastOf(node: Node): number {
  const end = node.range?.[1] ?? 0;
  if (isBlockMap(node)) {
    const last = node.items.at(-1);
    return last === undefined ? end : lastOffset(last);
  }
  const last = isSeq(node) && node.flow !== true ? node.items.at(-1) : undefined;
  return isNode(last) ? lastOf(last) : end;
}

export function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const found = text.indexOf("\n", offset);
  return found === -1 ? text.length : found + 1;
}

export function indentOf(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ ]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

export function write(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

export function checked(result: string, expected: unknown): string {
  if (isDeepStrictEqual(read(result).value ?? {}, expected)) return result;
  throw new SyntaxProblem("its layout can only be edited by hand");
}
