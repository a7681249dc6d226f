import { elementSpans, scanMembers } from "../wire/members.ts";

/** A key of an object, or an index of a list. */
type Part = string | number;

const NAME = /[^.[\]"]+/y;
const INDEX = /\[(\d{1,9})\]/y;
const QUOTED = /\[("(?:[^"\\]|\\.)*")\]/y;

/** The parts of a path such as `rows[0].id` or `["a key"]`; undefined if it is malformed. */
export function parsePath(path: string): Part[] | undefined {
  const parts: Part[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(path);
    if (found === null) return undefined;
    at = pattern.lastIndex;
    return found[1] ?? found[0];
  };
  while (at < path.length) {
    const index = take(INDEX);
    const quoted = index === undefined ? take(QUOTED) : undefined;
    if (index !== undefined) parts.push(Number(index));
    else if (quoted !== undefined) {
      const key = stringIn(quoted);
      if (key === undefined) return undefined;
      parts.push(key);
    } else {
      if (parts.length > 0 && path[at++] !== ".") return undefined;
      const name = take(NAME);
      if (name === undefined) return undefined;
      parts.push(name);
    }
  }
  return parts.length > 0 ? parts : undefined;
}

function stringIn(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

/**
 * The text of the value at a path in JSON text; undefined if there is none. The value is not parsed,
 * because numbers would change.
 */
export function valueAt(json: string, parts: readonly Part[]): string | undefined {
  let text = json;
  for (const part of parts) {
    const inner = typeof part === "number" ? elementAt(text, part) : memberOf(text, part);
    if (inner === undefined) return undefined;
    text = inner;
  }
  return text;
}

function elementAt(text: string, index: number): string | undefined {
  let i = 0;
  for (const { start, end } of elementSpans(text, 0))
    if (i++ === index) return text.slice(start, end);
  return undefined;
}

function memberOf(text: string, key: string): string | undefined {
  let found: string | undefined;
  scanMembers(text, 0, (other, start, skip) => {
    if (other !== key) return undefined;
    const end = skip(start);
    found = text.slice(start, end);
    return end;
  });
  return found;
}
