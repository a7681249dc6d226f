/**
 * JSON as text. Byte fidelity cannot be checked on parsed values, because parsing is exactly what
 * loses `1.0`, big integers, escapes and the order of keys.
 */

const WHITESPACE = /[\t\n\r ]/;

function skipWhitespace(text: string, at: number): number {
  let i = at;
  while (i < text.length && WHITESPACE.test(text.charAt(i))) i++;
  return i;
}

/** The index after the string that starts at `at`. */
function endOfString(text: string, at: number): number {
  let i = at + 1;
  while (text.charAt(i) !== '"') {
    if (i >= text.length) throw new SyntaxError(`unterminated string at ${at}`);
    i += text.charAt(i) === "\\" ? 2 : 1;
  }
  return i + 1;
}

/** The index after the value that starts at `at`. */
function endOfValue(text: string, at: number): number {
  const first = text.charAt(at);
  if (first === '"') return endOfString(text, at);
  if (first !== "{" && first !== "[") {
    let i = at;
    while (i < text.length && !/[,\]}\t\n\r ]/.test(text.charAt(i))) i++;
    return i;
  }
  let depth = 0;
  for (let i = at; i < text.length;) {
    const c = text.charAt(i);
    if (c === '"') {
      i = endOfString(text, i);
      continue;
    }
    if (c === "{" || c === "[") depth++;
    if (c === "}" || c === "]") depth--;
    i++;
    if (depth === 0) return i;
  }
  throw new SyntaxError(`unterminated value at ${at}`);
}

/** The exact text of the member with this path, such as `memberText(line, "result", "content")`. */
export function memberText(text: string, ...path: readonly string[]): string | undefined {
  let value = text.trim();
  for (const key of path) {
    const found = topLevelMember(value, key);
    if (found === undefined) return undefined;
    value = found;
  }
  return value;
}

function topLevelMember(text: string, key: string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  let i = skipWhitespace(text, 1);
  while (text.charAt(i) === '"') {
    const keyEnd = endOfString(text, i);
    const name: unknown = JSON.parse(text.slice(i, keyEnd));
    const valueStart = skipWhitespace(text, skipWhitespace(text, keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    if (name === key) return text.slice(valueStart, valueEnd);
    i = skipWhitespace(text, valueEnd);
    if (text.charAt(i) === ",") i = skipWhitespace(text, i + 1);
  }
  return undefined;
}

/** True when there is no whitespace outside of strings. */
export function isCompact(text: string): boolean {
  for (let i = 0; i < text.length;) {
    if (text.charAt(i) === '"') i = endOfString(text, i);
    else if (WHITESPACE.test(text.charAt(i))) return false;
    else i++;
  }
  return true;
}
