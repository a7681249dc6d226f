/**
 * Measures JSON and checks it at the same time: a text is accepted if JSON.parse would accept it.
 *
 * Most messages are small, and their content does not matter here; it is enough to know that they
 * are JSON and where a few members are. JSON.parse builds objects for that, which was the largest
 * single cost of a small call.
 */

import { stringEnd } from "./string-end.ts";

/** Not accepted here: JSON.parse decides. */
export const NOT_JSON = -1;

/** JavaScript represents integers with this many digits exactly. */
const EXACT_DIGITS = 15;

/** Deeper values are left to JSON.parse, so that no text can exhaust the stack. */
const DEPTH_LIMIT = 64;

/** The offset after the value that starts at `at`. */
export function strictValueEnd(text: string, at: number, depth = 0): number {
  switch (text.charCodeAt(at)) {
    case 0x22: // "
      return strictStringEnd(text, at);
    case 0x7b: // {
      return depth < DEPTH_LIMIT ? objectEnd(text, at, depth + 1) : NOT_JSON;
    case 0x5b: // [
      return depth < DEPTH_LIMIT ? arrayEnd(text, at, depth + 1) : NOT_JSON;
    case 0x74: // t
      return text.startsWith("true", at) ? at + 4 : NOT_JSON;
    case 0x66: // f
      return text.startsWith("false", at) ? at + 5 : NOT_JSON;
    case 0x6e: // n
      return text.startsWith("null", at) ? at + 4 : NOT_JSON;
    default:
      return numberEnd(text, at);
  }
}

/** Longer strings are left to `JSON.parse`, which checks each character several times as fast but costs a call. */
const WALKED_CHARS = 32;
/** Where escapes are this close together, finding the end of the string costs as much as checking it here. */
const NEXT_ESCAPE_CHARS = 4;

/** The offset after the closing quote of the string that starts at `at`. */
function strictStringEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x22) return NOT_JSON;
  let limit = at + WALKED_CHARS;
  let i = at + 1;
  while (i < limit) {
    const c = text.charCodeAt(i);
    if (c === 0x22) return i + 1;
    if (c === 0x5c) {
      i = escapeEnd(text, i + 1);
      if (i === NOT_JSON) return NOT_JSON;
      if (i + NEXT_ESCAPE_CHARS > limit) limit = i + NEXT_ESCAPE_CHARS;
      // The end of the text is NaN, which is not above anything.
    } else if (c >= 0x20) i++;
    else return NOT_JSON;
  }
  return longStringEnd(text, at);
}

function longStringEnd(text: string, open: number): number {
  const end = stringEnd(text, open);
  try {
    JSON.parse(text.slice(open, end));
  } catch {
    return NOT_JSON;
  }
  return end;
}

function escapeEnd(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 1;
    case 0x75: // u
      for (let i = at + 1; i < at + 5; i++) if (!isHexDigit(text.charCodeAt(i))) return NOT_JSON;
      return at + 5;
    default:
      return NOT_JSON;
  }
}

function objectEnd(text: string, open: number, depth: number): number {
  let at = skipSpace(text, open + 1);
  if (text.charCodeAt(at) === 0x7d) return at + 1;
  for (;;) {
    at = strictMemberValue(text, at);
    if (at === NOT_JSON) return NOT_JSON;
    at = strictValueEnd(text, at, depth);
    if (at === NOT_JSON) return NOT_JSON;
    at = skipSpace(text, at);
    const c = text.charCodeAt(at);
    if (c === 0x7d) return at + 1;
    if (c !== 0x2c) return NOT_JSON;
    at = skipSpace(text, at + 1);
  }
}

/** The start of the value of the member whose key starts at `at`. */
export function strictMemberValue(text: string, at: number): number {
  const keyEnd = strictStringEnd(text, at);
  return keyEnd === NOT_JSON ? NOT_JSON : strictKeyedValue(text, keyEnd);
}

/** The start of the value of the member whose key ends at `keyEnd`. */
export function strictKeyedValue(text: string, keyEnd: number): number {
  const colon = skipSpace(text, keyEnd);
  return text.charCodeAt(colon) === 0x3a ? skipSpace(text, colon + 1) : NOT_JSON;
}

/** The offset after the value of the member whose key ends at `keyEnd` and must be this one. */
export function literalValueEnd(text: string, keyEnd: number, literal: string): number {
  const at = strictKeyedValue(text, keyEnd);
  return text.startsWith(literal, at) ? at + literal.length : NOT_JSON;
}

function arrayEnd(text: string, open: number, depth: number): number {
  let at = skipSpace(text, open + 1);
  if (text.charCodeAt(at) === 0x5d) return at + 1;
  for (;;) {
    at = strictValueEnd(text, at, depth);
    if (at === NOT_JSON) return NOT_JSON;
    at = skipSpace(text, at);
    const c = text.charCodeAt(at);
    if (c === 0x5d) return at + 1;
    if (c !== 0x2c) return NOT_JSON;
    at = skipSpace(text, at + 1);
  }
}

function numberEnd(text: string, start: number): number {
  let at = text.charCodeAt(start) === 0x2d ? start + 1 : start;
  if (text.charCodeAt(at) === 0x30) at++;
  else {
    at = digitsEnd(text, at);
    if (at === NOT_JSON) return NOT_JSON;
  }
  if (text.charCodeAt(at) === 0x2e) {
    at = digitsEnd(text, at + 1);
    if (at === NOT_JSON) return NOT_JSON;
  }
  const c = text.charCodeAt(at);
  if (c !== 0x65 && c !== 0x45) return at;
  const sign = text.charCodeAt(at + 1);
  return digitsEnd(text, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
}

/** The offset after one or more digits. */
function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at === start ? NOT_JSON : at;
}

/** The offset after a string without escapes: the text between its quotes is its value. */
export function plainStringEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x22) return NOT_JSON;
  let i = at + 1;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === 0x22) return i + 1;
    if (c >= 0x20 && c !== 0x5c) i++;
    else return NOT_JSON;
  }
}

/** The offset after an integer without sign that JavaScript represents exactly. */
export function unsignedEnd(text: string, at: number): number {
  const end = digitsEnd(text, at);
  if (end - at > EXACT_DIGITS || (end - at > 1 && text.charCodeAt(at) === 0x30)) return NOT_JSON;
  return end;
}

/** True if nothing but white space follows. */
export function nothingAfter(text: string, at: number): boolean {
  return at === text.length || skipSpace(text, at) === text.length;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

function isHexDigit(c: number): boolean {
  return isDigit(c) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);
}

/** The offset of the first character that is not white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const c = text.charCodeAt(at);
    // Nearly always there is none, which one comparison shows.
    if (c > 0x20 || !isSpace(c)) return at;
    at++;
  }
}

export function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}
