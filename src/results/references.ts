import { type Edit, editText } from "../wire/splice.ts";
import { elementSpans, membersOf, scanMembers } from "../wire/members.ts";
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

/** The key that makes an object a reference. A request without it has none. */
export const REFERENCE_KEY = '"$result"';
const KEYS = new Set(["$result", "path"]);

interface Reference {
  readonly start: number;
  readonly end: number;
  readonly id: string;
  readonly path: string | undefined;
}

/**
 * The request with stored results in place of the references in the arguments of the tool that it
 * uses. A reference is an object with exactly the keys `$result` and, optionally, `path`, both
 * strings; any other object is passed on as it is.
 */
export function resolveReferences(
  request: string,
  read: (id: string) => StoredText | undefined,
  maxBytes: number,
): string | ReferenceProblem {
  const edits: Edit[] = [];
  let size = Buffer.byteLength(request);
  for (const reference of referencesIn(request)) {
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

/** The references in `params.arguments.arguments`, in order. */
function referencesIn(request: string): Reference[] {
  let at = 0;
  for (const key of ["params", "arguments", "arguments"]) {
    const span = membersOf(request, at)?.get(key);
    if (span === undefined) return [];
    at = span.start;
  }
  const found: Reference[] = [];
  visit(request, at, found);
  return found;
}

function visit(text: string, start: number, found: Reference[]): void {
  const reference = referenceAt(text, start);
  if (reference !== undefined) {
    found.push(reference);
    return;
  }
  const inside = (from: number, end: number): void => {
    const at = text.indexOf(REFERENCE_KEY, from);
    if (at >= 0 && at < end) visit(text, from, found);
  };
  if (text[start] === "[")
    for (const { start: from, end } of elementSpans(text, start)) inside(from, end);
  else
    scanMembers(text, start, (_key, from, skip) => {
      const end = skip(from);
      inside(from, end);
      return end;
    });
}

function referenceAt(text: string, start: number): Reference | undefined {
  if (text[start] !== "{") return undefined;
  const values = new Map<string, string>();
  let isReference = true;
  const end = scanMembers(text, start, (key, from, skip) => {
    if (!isReference || !KEYS.has(key) || values.has(key) || text[from] !== '"') {
      isReference = false;
      return undefined;
    }
    const to = skip(from);
    values.set(key, JSON.parse(text.slice(from, to)) as string);
    return to;
  });
  const id = values.get("$result");
  if (!isReference || id === undefined || end === undefined) return undefined;
  return { start, end, id, path: values.get("path") };
}
