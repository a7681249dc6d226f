import { isSpace, skipSpace } from "./strict-json.ts";
import { stringEnd } from "./string-end.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "./characters.ts";

/**
 * Finds the members of a JSON object in its text, without decoding their values.
 *
 * Arguments and other values pass through the workbench as the text the client wrote: integers
 * beyond 2^53, `1.0` and unusual escapes would not survive parsing and printing. The text must have
 * been accepted by JSON.parse before; this code only measures.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Called for each key with the offset of its value, whether the key contains escapes, and the offset
 * of the key; may return the value's end if it has found it.
 */
type Visit = (
  key: string,
  start: number,
  skip: (at: number) => number,
  isEscaped: boolean,
  keyStart: number,
) => number | undefined;

/**
 * Visits the members of the object that starts at or after `from`, and returns the offset after it;
 * undefined if there is no object. A repeated key is visited again: the last one counts, as in
 * JSON.parse.
 */
export function scanMembers(text: string, from: number, visit: Visit): number | undefined {
  let at = skipSpace(text, from);
  if (text.charCodeAt(at) !== OPEN_BRACE) return undefined;
  const skip = (value: number): number => valueEnd(text, value);
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const quote = at;
    const keyEnd = stringEnd(text, quote);
    const key = keyAt(text, quote, keyEnd);
    if (key === undefined) return undefined;
    at = skipSpace(text, keyEnd);
    if (text.charCodeAt(at) !== COLON) return undefined;
    const start = skipSpace(text, at + 1);
    const isEscaped = key.length !== keyEnd - quote - 2;
    at = skipSpace(text, visit(key, start, skip, isEscaped, quote) ?? valueEnd(text, start));
    if (text.charCodeAt(at) !== COMMA) break;
    at = skipSpace(text, at + 1);
  }
  return text.charCodeAt(at) === CLOSE_BRACE ? at + 1 : undefined;
}

/** The key between two quotes; undefined if it contains an invalid escape. */
function keyAt(text: string, start: number, end: number): string | undefined {
  const written = text.slice(start + 1, end - 1);
  if (!written.includes("\\")) return written;
  try {
    return JSON.parse(text.slice(start, end)) as string;
  } catch {
    return undefined;
  }
}

/** Where the values of an object's members are, by key. */
export function membersOf(text: string, from = 0): Map<string, Span> | undefined {
  const members = new Map<string, Span>();
  const end = scanMembers(text, from, (key, start, skip) => {
    const valueEnds = skip(start);
    members.set(key, { start, end: valueEnds });
    return valueEnds;
  });
  return end === undefined ? undefined : members;
}

/** The text of a member of an object; undefined if it has no such member. */
export function memberText(text: string, key: string): string | undefined {
  const span = memberSpan(text, key);
  return span && text.slice(span.start, span.end);
}

/** Where the value of one member is. An object may have thousands, so no table is made of them. */
function memberSpan(text: string, key: string): Span | undefined {
  let span: Span | undefined;
  const end = scanMembers(text, 0, (other, start, skip) => {
    if (other !== key) return undefined;
    span = { start, end: skip(start) };
    return span.end;
  });
  return end === undefined ? undefined : span;
}

/** The texts of the elements of the array that starts at or after `from`. */
export function elementsOf(text: string, from = 0): string[] | undefined {
  if (text.charCodeAt(skipSpace(text, from)) !== OPEN_BRACKET) return undefined;
  const elements: string[] = [];
  for (const { start, end } of elementSpans(text, from)) {
    if (end === start) return undefined;
    elements.push(text.slice(start, end));
  }
  return elements;
}

/** Where the elements are, in order; anything else has no length and ends the list. */
export function* elementSpans(text: string, from: number): Generator<Span, void> {
  let at = skipSpace(text, from);
  if (text.charCodeAt(at) !== OPEN_BRACKET) return;
  at = skipSpace(text, at + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = valueEnd(text, at);
    yield { start: at, end };
    if (end === at) return;
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
}

/**
 * The object text with some members replaced, added, or (undefined) removed. All others are kept as
 * written, in as few pieces as possible: there may be thousands of them.
 */
export function withMembers(
  text: string,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const changed = Object.keys(changes);
  const kept: string[] = [];
  let from = -1;
  let to = -1;
  const keep = (): void => {
    if (from >= 0) kept.push(text.slice(from, to));
    from = -1;
  };
  const end = scanMembers(text, 0, (key, start, skip, _isEscaped, keyStart) => {
    const valueEnds = skip(start);
    if (changed.includes(key)) keep();
    else {
      if (from < 0) from = keyStart;
      to = valueEnds;
    }
    return valueEnds;
  });
  keep();
  const parts = end === undefined ? [] : kept;
  for (const key of changed)
    if (changes[key] !== undefined) parts.push(`${JSON.stringify(key)}:${changes[key]}`);
  return `{${parts.join(",")}}`;
}

/** The object text with the value of one member replaced in place. */
export function replaceMember(text: string, key: string, value: string): string {
  const span = memberSpan(text, key);
  if (span === undefined) return withMembers(text, { [key]: value });
  return text.slice(0, span.start) + value + text.slice(span.end);
}

/** The JSON text without the white space between its tokens; the tokens are unchanged. */
export function compact(text: string): string {
  let result = "";
  let at = skipSpace(text, 0);
  let kept = at;
  while (at < text.length) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) at = stringEnd(text, at);
    else if (!isSpace(c)) at++;
    else {
      result += text.slice(kept, at);
      at = skipSpace(text, at);
      kept = at;
    }
  }
  return result + text.slice(kept, at);
}

/** The offset after the value that starts at `at`. */
export function valueEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return stringEnd(text, at);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return scalarEnd(text, at);
  let depth = 0;
  let i = at;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      i = stringEnd(text, i);
      continue;
    }
    if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
    else if ((c === CLOSE_BRACE || c === CLOSE_BRACKET) && --depth === 0) return i + 1;
    i++;
  }
  return i;
}

function scalarEnd(text: string, at: number): number {
  let i = at;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === COMMA || c === CLOSE_BRACE || c === CLOSE_BRACKET || c <= 0x20) return i;
    i++;
  }
  return i;
}
