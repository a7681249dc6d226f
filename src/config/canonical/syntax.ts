import {
  findNodeAtLocation,
  getLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";
import { MAX_NESTING } from "./plain-json.ts";
import { quoted, type ConfigPath, type Locate, type Position, type Problem } from "../problems.ts";

/**
 * Reads a configuration with comments and trailing commas, and locates every value in it. Loaded only
 * when one of the two is needed.
 */

export interface ConfigDocument {
  /** Undefined if the text cannot be parsed. */
  readonly value: { readonly root: unknown } | undefined;
  readonly problems: readonly Problem[];
  readonly locate: Locate;
}

export function readDocument(text: string): ConfigDocument {
  const positionAt = positionsIn(text);
  const errors: ParseError[] = [];
  const tree = parse(text, errors);
  if (tree === "too deep") {
    const message = `is nested more than ${MAX_NESTING} levels deep. Flatten it`;
    return { value: undefined, problems: [problemAtStart(message)], locate: () => undefined };
  }
  const locate: Locate = (path, at) => {
    const node = tree && findNodeAtLocation(tree, [...path]);
    if (node !== undefined) return positionAt((at === "key" ? keyOf(node) : node).offset);
    // A missing value has no position; its parent is the next best.
    return path.length === 0 ? undefined : locate(path.slice(0, -1), "key");
  };
  if (tree === undefined || errors.length > 0) {
    const problems = syntaxProblems(text, errors, positionAt);
    return { value: undefined, problems, locate };
  }
  const problems: Problem[] = [];
  const root = valueOf(tree, [], (path, node, message) => {
    problems.push({ path, at: "key", message, position: positionAt(node.offset) });
  });
  return { value: { root }, problems, locate };
}

function parse(text: string, errors: ParseError[]): Node | undefined | "too deep" {
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    return tree !== undefined && depthOf(tree) > MAX_NESTING ? "too deep" : tree;
  } catch (error) {
    // The parser is recursive, so a file full of brackets exhausts the stack.
    if (error instanceof RangeError) return "too deep";
    throw error;
  }
}

/** Levels of objects and lists, not counting the property nodes in between. */
function depthOf(node: Node): number {
  let inner = 0;
  for (const child of node.children ?? []) inner = Math.max(inner, depthOf(child));
  return node.type === "object" || node.type === "array" ? inner + 1 : inner;
}

type Report = (path: ConfigPath, node: Node, message: string) => void;

/** The plain value of a node, without duplicate keys and `__proto__`. */
function valueOf(node: Node, path: ConfigPath, report: Report): unknown {
  const children = node.children ?? [];
  if (node.type === "array") {
    return children.map((item, index) => valueOf(item, [...path, index], report));
  }
  if (node.type !== "object") return node.value;
  const result: Record<string, unknown> = {};
  for (const { children: [key, value] = [] } of children) {
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    const childPath = [...path, name];
    if (name === "__proto__") {
      report(childPath, key, "this key has a special meaning in JavaScript. Choose another name");
    } else if (Object.hasOwn(result, name)) {
      report(childPath, key, `the key ${quoted(name)} occurs more than once. Keep one of them`);
    } else {
      result[name] = valueOf(value, childPath, report);
    }
  }
  return result;
}

const SYNTAX_ADVICE: Readonly<Record<string, string>> = {
  InvalidSymbol:
    "unknown word. Put strings in double quotes; other values are numbers, true, false and null",
  InvalidNumberFormat:
    "this is not a number. Correct it, or put it in double quotes if it is a string",
  PropertyNameExpected: "expected a key in double quotes. Add it, or remove this",
  ValueExpected: "expected a value. Add it, or remove the key or comma before it",
  ColonExpected: "expected ':' between key and value. Add it",
  CommaExpected: "expected ',' between two entries. Add it",
  CloseBraceExpected: "expected '}' to close the object. Add it",
  CloseBracketExpected: "expected ']' to close the list. Add it",
  EndOfFileExpected: "unexpected text after the end of the configuration. Remove it",
  InvalidCommentToken: "this comment is not closed. Write // or /* … */",
  UnexpectedEndOfComment: "this comment is not closed. Add */",
  UnexpectedEndOfString: 'this string is not closed. Add the missing "',
  UnexpectedEndOfNumber: "this number is incomplete. Correct it",
  InvalidUnicode: "this is not a valid \\u escape. Write four hexadecimal digits after \\u",
  InvalidEscapeCharacter:
    "this is not a valid escape. Write \\\\ for a backslash, as in Windows paths",
  InvalidCharacter: "this character is not allowed here. Write line breaks as \\n and tabs as \\t",
};

/** Finding the place of each takes as long as reading the file. */
const MAX_SYNTAX_PROBLEMS = 20;

/** One problem per line: further ones on a line mostly follow from the first. */
function syntaxProblems(
  text: string,
  errors: readonly ParseError[],
  positionAt: (offset: number) => Position,
): Problem[] {
  if (text.trim() === "") {
    return [
      problemAtStart("the file is empty. Run 'mcp-workbench init' to create a configuration"),
    ];
  }
  const byLine = new Map<number, Problem>();
  for (const { error, offset } of errors) {
    const position = positionAt(offset);
    if (byLine.has(position.line)) continue;
    if (byLine.size === MAX_SYNTAX_PROBLEMS) break;
    const message =
      SYNTAX_ADVICE[printParseErrorCode(error)] ?? "this is not valid JSON. Correct it";
    const path = getLocation(text, offset).path.filter((step) => step !== "");
    byLine.set(position.line, { path, at: "value", message, position });
  }
  return [...byLine.values()];
}

function problemAtStart(message: string): Problem {
  return { path: [], at: "value", message, position: { line: 1, column: 1 } };
}

/** The node of the key that a value belongs to, or the value itself for items of lists. */
function keyOf(value: Node): Node {
  return value.parent?.type === "property" ? (value.parent.children?.[0] ?? value) : value;
}

function positionsIn(text: string): (offset: number) => Position {
  const lineStarts = [0];
  for (const { index } of text.matchAll(/\r\n|\n|\r/g)) {
    lineStarts.push(text.startsWith("\r\n", index) ? index + 2 : index + 1);
  }
  return (offset) => {
    const next = lineStarts.findIndex((start) => start > offset);
    const line = next === -1 ? lineStarts.length : next;
    return { line, column: offset - (lineStarts[line - 1] ?? 0) + 1 };
  };
}
