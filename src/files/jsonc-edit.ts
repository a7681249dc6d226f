import { isDeepStrictEqual } from "node:util";
import { createScanner, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";

import { SyntaxProblem, withoutValue, withValue } from "./editor.ts";
import type { Editor, KeyPath } from "./editor.ts";
import { valueAt } from "../text/json.ts";
import { lineColumn, styleOf } from "./text-file.ts";
import type { TextStyle } from "./text-file.ts";

/*
 * Edits JSON and JSONC without touching anything but the key in question. jsonc-parser locates the
 * values, and the text is edited here: the parser's own `modify` inserts a new property between the
 * last value and the comment after it, which then seems to describe the new one, and does not restore
 * the original when the property is removed again. Every edit is parsed again before it is returned.
 */
export const jsonc: Editor = {
  parse(text) {
    const root = treeOf(text);
    return root === undefined ? undefined : toValue(root);
  },

  set(text, path, value) {
    const root = treeOf(text);
    const style = styleOf(text);
    if (root === undefined) {
      const start = text.trim() === "" || text.endsWith("\n") ? text : text + style.eol;
      return `${start}${pretty(nest(path, value), "", style)}${style.eol}`;
    }
    const expected = withValue(toValue(root), path, value);
    return checked(setIn(text, root, path, value, style), expected);
  },

  remove(text, path) {
    let result = text;
    // Remove all duplicates: otherwise an earlier one would take effect.
    for (let found = find(text, path); found !== undefined; found = find(result, path)) {
      const expected = withoutValue(toValue(found.root), path);
      const without = withoutProperty(result, found.holder, found.property);
      const isTwice = found.holder.children?.some(
        (child) => child !== found.property && child.children?.[0]?.value === path.at(-1),
      );
      result = isTwice ? without : checked(without, expected);
    }
    return result;
  },

  snippet: (path, value) => JSON.stringify(nest(path, value), undefined, 2),
};

/** The document with a key renamed in place: its value, position and comments stay. */
export function renameKey(text: string, path: KeyPath, name: string): string {
  const found = find(text, path);
  const key = found?.property.children?.[0];
  if (found === undefined || key === undefined) throw missing(path);
  const renamed = cut(text, key.offset, endOf(key), JSON.stringify(name));
  const parent = path.slice(0, -1);
  const value = valueAt(toValue(found.root), path);
  const without = withoutValue(toValue(found.root), path);
  return checked(renamed, withValue(without, [...parent, name], value));
}

/** The document with a value moved to another key, including the comments inside it. */
export function moveKey(text: string, from: KeyPath, to: KeyPath): string {
  const found = find(text, from);
  const value = found?.property.children?.[1];
  if (found === undefined || value === undefined) throw missing(from);
  const { eol } = styleOf(text);
  const oldIndent = indentOfLine(text, found.property.offset);
  const lines = text.slice(value.offset, endOf(value)).split(eol);
  const document = toValue(found.root);
  const expected = withValue(withoutValue(document, from), to, valueAt(document, from));
  // The text of the value takes the place of a string that occurs nowhere else.
  let marker = "moved";
  while (text.includes(marker)) marker += "-";
  const marked = jsonc.set(jsonc.remove(text, from), to, marker);
  const token = JSON.stringify(marker);
  const at = marked.indexOf(token);
  const newIndent = indentOfLine(marked, at);
  const [first = "", ...rest] = lines;
  const moved = [
    first,
    ...rest.map((line) =>
      line.startsWith(oldIndent) ? newIndent + line.slice(oldIndent.length) : line,
    ),
  ].join(eol);
  return checked(cut(marked, at, at + token.length, moved), expected);
}

function missing(path: KeyPath): SyntaxProblem {
  return new SyntaxProblem(`it has no '${path.join(".")}'`);
}

/** The result, if it parses to the intended value. */
function checked(result: string, expected: unknown): string {
  if (isDeepStrictEqual(jsonc.parse(result), expected)) return result;
  throw new SyntaxProblem("its layout can only be edited by hand");
}

function treeOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  // The parser treats a byte order mark as content; a space in its place keeps all offsets.
  const plain = text.replace(/^\uFEFF/, " ");
  refuseDeep(plain);
  const root = parseTree(plain, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error === undefined) return root;
  const words = printParseErrorCode(error.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
  throw new SyntaxProblem(
    `not valid JSON (${words.toLowerCase()})`,
    lineColumn(text, error.offset),
  );
}

/** Far more than any file of a client needs, and far less than the parser's recursion can take. */
const MAX_NESTING = 200;

function refuseDeep(text: string): void {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let kind = scanner.scan(); kind !== END; kind = scanner.scan()) {
    if (OPENING.has(kind)) depth += 1;
    else if (CLOSING.has(kind)) depth -= 1;
    if (depth > MAX_NESTING)
      throw new SyntaxProblem(
        `nested more than ${MAX_NESTING} levels deep`,
        lineColumn(text, scanner.getTokenOffset()),
      );
  }
}

function toValue(node: Node): unknown {
  const children = node.children ?? [];
  if (node.type === "array") return children.map(toValue);
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    children.flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [[String(key.value), toValue(value)]],
    ),
  );
}

interface Property {
  readonly property: Node;
  readonly value: Node;
}

/** The last of several equal keys, because that is the one that takes effect. */
function propertyOf(object: Node, key: string | undefined): Property | undefined {
  if (object.type !== "object") return undefined;
  const property = object.children?.findLast((child) => child.children?.[0]?.value === key);
  const value = property?.children?.[1];
  return property !== undefined && value !== undefined ? { property, value } : undefined;
}

function find(
  text: string,
  path: KeyPath,
): { readonly root: Node; readonly holder: Node; readonly property: Node } | undefined {
  const root = treeOf(text);
  let holder = root;
  for (const key of path.slice(0, -1)) {
    holder = holder === undefined ? undefined : propertyOf(holder, key)?.value;
  }
  const found = holder === undefined ? undefined : propertyOf(holder, path.at(-1));
  if (root === undefined || holder === undefined || found === undefined) return undefined;
  return { root, holder, property: found.property };
}

function setIn(text: string, root: Node, path: KeyPath, value: unknown, style: TextStyle): string {
  let at = root;
  for (const [depth, key] of path.entries()) {
    const isPosition = at.type === "array" && /^\d+$/.test(key);
    const element = isPosition ? at.children?.[Number(key)] : undefined;
    if (element !== undefined) {
      at = element;
      continue;
    }
    if (at.type !== "object") {
      const where = depth === 0 ? "its content" : `'${path.slice(0, depth).join(".")}'`;
      throw new SyntaxProblem(`${where} is not an object`, lineColumn(text, at.offset));
    }
    const found = propertyOf(at, key);
    const rest = path.slice(depth + 1);
    if (found === undefined) return withProperty(text, root, at, key, nest(rest, value), style);
    at = found.value;
  }
  const replacement = pretty(value, indentOfLine(text, at.offset), style);
  return cut(text, at.offset, endOf(at), replacement);
}

function withProperty(
  text: string,
  root: Node,
  object: Node,
  key: string,
  value: unknown,
  style: TextStyle,
): string {
  const last = object.children?.at(-1);
  const open = object.offset + 1;
  const close = endOf(object) - 1;
  const after = afterValue(text, last === undefined ? open : endOf(last));
  const comma = last !== undefined && after.comma !== undefined ? "," : "";
  const item = (inner: string): string => `${JSON.stringify(key)}: ${inner}${comma}`;
  const onOneLine = !text.slice(root.offset, endOf(root)).includes("\n");

  if (last !== undefined && !after.endsLine) {
    const inline = item(JSON.stringify(value));
    const at = after.comma === undefined ? endOf(last) : after.comma + 1;
    return cut(text, at, at, comma === "" ? `, ${inline}` : ` ${inline}`);
  }
  if (last === undefined && onOneLine && object !== root) {
    return cut(text, open, open, item(JSON.stringify(value)));
  }
  const outer = indentOfLine(text, object.offset);
  const indent =
    (last === undefined ? undefined : ownIndent(text, last.offset)) ?? outer + style.indent;
  const line = `${style.eol}${indent}${item(pretty(value, indent, style))}`;
  if (after.endsLine) {
    const added = cut(text, after.end, after.end, line);
    const needsComma = last !== undefined && after.comma === undefined;
    return needsComma ? cut(added, endOf(last), endOf(last), ",") : added;
  }
  const blank = text.slice(open, close).trim() === "";
  return cut(text, blank ? open : close, close, `${line}${style.eol}${outer}`);
}

function withoutProperty(text: string, object: Node, property: Node): string {
  const siblings = object.children ?? [];
  const index = siblings.indexOf(property);
  const previous = siblings[index - 1];
  const close = endOf(object) - 1;
  const after = afterValue(text, endOf(property));
  const commaBefore = previous && afterValue(text, endOf(previous)).comma;
  // The comma before the property goes too if it no longer separates anything.
  const loose = after.comma === undefined ? commaBefore : undefined;
  const startsLine = ownIndent(text, property.offset) !== undefined;
  const followsComment = previous !== undefined && hasLineBreak(text, endOf(previous), property);

  if (startsLine && after.endsLine) {
    const from = eolBefore(text, property.offset);
    const alone = siblings.length === 1 && from === object.offset + 1;
    if (alone && text.slice(after.end, close).trim() === "") return cut(text, from, close, "");
    return dropAt(cut(text, from, after.end, ""), loose);
  }
  if (startsLine || followsComment || previous === undefined) {
    const end = after.comma === undefined ? endOf(property) : skipBlanks(text, after.comma + 1);
    return dropAt(cut(text, property.offset, end, ""), loose);
  }
  if (after.comma !== undefined) return cut(text, (commaBefore ?? 0) + 1, after.comma + 1, "");
  return cut(text, loose ?? property.offset, endOf(property), "");
}

/** Whether a property is on a later line: comments before that line belong to something else. */
function hasLineBreak(text: string, from: number, { offset }: Node): boolean {
  return text.slice(from, offset).includes("\n");
}

interface After {
  /** The offset of the comma after the value, if there is one before the next value or bracket. */
  readonly comma: number | undefined;
  /** Whether only comments follow on the line where the value, or its comma, ends. */
  readonly endsLine: boolean;
  /** The end of that line. */
  readonly end: number;
}

// Token kinds of the scanner. Its type is a const enum, which isolated modules cannot use.
const OPENING: ReadonlySet<number> = new Set([1, 3]);
const CLOSING: ReadonlySet<number> = new Set([2, 4]);
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const BLANK = 15;
const END = 17;

/** Describes the text between a value and the next value or bracket. */
function afterValue(text: string, from: number): After {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  let comma: number | undefined;
  let end: number | undefined;
  for (;;) {
    const kind = scanner.scan();
    const offset = scanner.getTokenOffset();
    if (kind === LINE_BREAK) {
      end ??= offset;
    } else if (kind === COMMA && comma === undefined) {
      comma = offset;
      end = undefined;
    } else if (kind !== BLANK && kind !== LINE_COMMENT && kind !== BLOCK_COMMENT) {
      return { comma, endsLine: end !== undefined, end: end ?? offset };
    }
  }
}

function nest(path: KeyPath, value: unknown): unknown {
  return withValue({}, path, value);
}

function pretty(value: unknown, indent: string, style: TextStyle): string {
  const text = JSON.stringify(value, undefined, style.indent);
  return text.replaceAll("\n", `${style.eol}${indent}`);
}

const endOf = (node: Node): number => node.offset + node.length;

const cut = (text: string, from: number, to: number, replacement: string): string =>
  text.slice(0, from) + replacement + text.slice(to);

const dropAt = (text: string, at: number | undefined): string =>
  at === undefined ? text : cut(text, at, at + 1, "");

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1;

function indentOfLine(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? "";
}

/** The indentation of a token at the start of a line; undefined for other tokens. */
function ownIndent(text: string, offset: number): string | undefined {
  const start = lineStart(text, offset);
  const before = text.slice(start, offset);
  return start > 0 && before.trim() === "" ? before : undefined;
}

/** The offset of the line break before a line. */
function eolBefore(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return text.startsWith("\r\n", start - 2) ? start - 2 : start - 1;
}

function skipBlanks(text: string, offset: number): number {
  return offset + (/^[ \t]*/.exec(text.slice(offset))?.[0].length ?? 0);
}
