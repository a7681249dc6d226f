import { isObject } from "../text/json.ts";

/** The keys that lead to a value, from the top of a document. */
export type KeyPath = readonly string[];

/** Reads and edits one file format without changing any unrelated byte. */
export interface Editor {
  /** The value of a document, undefined for an empty one. Throws a SyntaxProblem. */
  readonly parse: (text: string) => unknown;
  /** The document with a key set; missing parents are created. Throws a SyntaxProblem. */
  readonly set: (text: string, path: KeyPath, value: unknown) => string;
  /** The document without a key; its parent stays, even if empty. Throws a SyntaxProblem. */
  readonly remove: (text: string, path: KeyPath) => string;
  /** A value with its key in this format, for users to paste. */
  readonly snippet: (path: KeyPath, value: unknown) => string;
}

/** Why a document cannot be read or edited, and where. */
export class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";
  /** `line:column`, or empty if the problem has no position. */
  readonly at: string;

  constructor(reason: string, at = "") {
    super(reason);
    this.at = at;
  }
}

/** Works across bundled copies of this module, unlike `instanceof`. */
export function isSyntaxProblem(error: unknown): error is SyntaxProblem {
  return error instanceof Error && error.name === "SyntaxProblem";
}

/** A copy of a document with one key set, as plain data: the expected result of a text edit. */
export function withValue(document: unknown, path: KeyPath, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(document) && /^\d+$/.test(key) && Number(key) in document)
    return document.map((item, index) =>
      index === Number(key) ? withValue(item, rest, value) : item,
    );
  const object = isObject(document) ? document : {};
  return { ...object, [key]: withValue(object[key], rest, value) };
}

/** A copy of a document without one key, as plain data. */
export function withoutValue(document: unknown, path: KeyPath): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isObject(document) || !Object.hasOwn(document, key)) return document;
  const { [key]: inner, ...others } = document;
  return rest.length === 0 ? others : { ...document, [key]: withoutValue(inner, rest) };
}
