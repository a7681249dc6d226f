import type { ArgumentsAt } from "../calls/destination.ts";
import { type Edit, editText } from "../wire/splice.ts";
import { foldCase } from "../text/fold-case.ts";
import { inexactKey, shapeOf } from "../wire/exact-keys.ts";
import { type Span, membersOf, scanMembers, valueEnd } from "../wire/members.ts";
import { skipSpace } from "../wire/strict-json.ts";
import { parsePath, valueAt } from "./path.ts";

/** What is known about a stored result. */
export interface StoredText {
  readonly text: string;
  readonly isJson: boolean;
}

/** A reference that cannot be resolved. */
export interface ReferenceProblem {
  /** The result that does not exist; undefined if something else is wrong. */
  readonly missing?: string;
  readonly reason: string;
}

const KEY = "$result";
/** Readers that ignore case or escapes would take other spellings for the key, too. */
const SHAPE = shapeOf([KEY, "path"]);
/** A key that begins with a dollar sign, in any spelling. */
const DOLLAR_KEY = /"(?:\$|\\u0024)/;

/** False if a request certainly has no reference. */
export function mayHaveReference(request: string): boolean {
  return DOLLAR_KEY.test(request);
}

interface Reference {
  readonly start: number;
  readonly end: number;
  readonly id: string;
  readonly path: string | undefined;
}

/**
 * The request with stored results in place of the references in the arguments of the tool that it
 * uses. A reference is an object with exactly the keys `$result` and, optionally, `path`, both
 * strings. Any other object with the key `$result`, in whatever spelling, is refused.
 */
export function resolveReferences(
  request: string,
  at: ArgumentsAt,
  read: (id: string) => StoredText | undefined,
  maxBytes: number,
): string | ReferenceProblem {
  const edits: Edit[] = [];
  let size = Buffer.byteLength(request);
  const references = referencesIn(request, at);
  if (!Array.isArray(references)) return references;
  for (const reference of references) {
    const value = resolved(reference, read);
    if (typeof value !== "string") return value;
    size += Buffer.byteLength(value);
    if (size > maxBytes)
      return { reason: `with its stored results, the request has more than ${maxBytes} bytes` };
    edits.push({ start: reference.start, end: reference.end, text: value });
  }
  return editText(request, edits);
}

function resolved(
  { id, path }: Reference,
  read: (id: string) => StoredText | undefined,
): string | ReferenceProblem {
  const stored = read(id);
  if (stored === undefined) return { missing: id, reason: `result '${id}' not found` };
  if (path === undefined) return stored.isJson ? stored.text : JSON.stringify(stored.text);
  const parts = parsePath(path);
  if (parts === undefined)
    return { reason: `$result: path '${path}' is malformed; write it like rows[0].id` };
  if (!stored.isJson) return { reason: `$result: '${id}' is text, so it has no path '${path}'` };
  return valueAt(stored.text, parts) ?? { reason: `$result: '${id}' has no '${path}'` };
}

/** The references in the arguments, in order; a problem if one is malformed. */
function referencesIn(request: string, at: ArgumentsAt): Reference[] | ReferenceProblem {
  let start = 0;
  for (const key of at.split(".")) {
    const span = membersOf(request, start)?.get(key);
    if (span === undefined) return [];
    start = span.start;
  }
  const search = new ReferenceSearch(request);
  search.visit(start);
  return search.problem ?? search.found;
}

class ReferenceSearch {
  readonly found: Reference[] = [];
  problem: ReferenceProblem | undefined;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the value at an offset, and returns the offset after it. */
  visit(start: number): number {
    const text = this.#text;
    if (text[start] === "{") return this.#object(start);
    if (text[start] !== "[") return valueEnd(text, start);
    let at = skipSpace(text, start + 1);
    while (at < text.length && text[at] !== "]") {
      at = skipSpace(text, this.visit(at));
      if (text[at] === ",") at = skipSpace(text, at + 1);
    }
    return at + 1;
  }

  #object(start: number): number {
    const text = this.#text;
    const members = new Map<string, Span>();
    let isReference = false;
    const end = scanMembers(text, start, (key, from) => {
      isReference ||= SHAPE.keys.get(foldCase(key)) === KEY;
      const to = this.visit(from);
      if (members.size <= SHAPE.keys.size) members.set(key, { start: from, end: to });
      return to;
    });
    if (end === undefined) return valueEnd(text, start);
    if (isReference) this.#add(start, end, members);
    return end;
  }

  #add(start: number, end: number, members: ReadonlyMap<string, Span>): void {
    const inexact = inexactKey(this.#text, SHAPE, start)?.reason;
    const id = this.#string(members.get(KEY));
    const path = this.#string(members.get("path"));
    const given = [id, path].filter((value) => value !== undefined).length;
    if (inexact !== undefined || id === undefined || given !== members.size)
      this.problem ??= { reason: `$result: ${inexact ?? MALFORMED}` };
    else this.found.push({ start, end, id, path });
  }

  #string(span: Span | undefined): string | undefined {
    if (span === undefined || this.#text[span.start] !== '"') return undefined;
    return JSON.parse(this.#text.slice(span.start, span.end)) as string;
  }
}

const MALFORMED = 'a reference is {"$result":"r7"} or {"$result":"r7","path":"rows[0].id"}';
