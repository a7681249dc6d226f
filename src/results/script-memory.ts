/**
 * Estimates whether a script has room for a stored result. The figures are upper bounds, measured with
 * `JSON.parse` in the engine of scripts: too high, and the agent reads text; too low, and a suggested script fails.
 */
const MEGABYTE = 1024 * 1024;
/** What every script needs, and what one that reads a little of a result needs. */
const BASE_BYTES = 2 * MEGABYTE;
const ELEMENT_BYTES = 16;
const STRING_BYTES = 95;
const CONTAINER_BYTES = 90;
/** A key that is in other objects, too, and any other. */
const KEY_BYTES = 16;
const NEW_KEY_BYTES = 170;
/** The engine parses recursively, on a small stack. */
const MAX_DEPTH = 128;
/** Objects with keys that no other has take the engine longer, the more there are. */
const MAX_OBJECTS_WITH_NEW_KEYS = 20_000;
const LATIN = /^[\0-\u00FF]*$/;

/** The largest text that a script can read: it has up to two bytes per character, and is copied once. */
export function maxTextBytes(memoryMb: number): number {
  return (memoryMb * MEGABYTE) / 4;
}

/** Whether a script can parse the text, whose value is given. Ends early if it cannot. */
export function fitsInScript(text: string, value: unknown, memoryMb: number): boolean {
  const charBytes = LATIN.test(text) ? 1 : 2;
  let left = memoryMb * MEGABYTE - BASE_BYTES - 2 * charBytes * text.length;
  const seen = new Set<string>();
  let withNewKeys = 0;
  const open: { value: object; depth: number }[] = [{ value: [value], depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: part, depth } = next;
    if (left < 0 || depth > MAX_DEPTH) return false;
    const add = (member: unknown): void => {
      // Other values have room in what holds them.
      if (typeof member === "string") left -= charBytes * (STRING_BYTES + member.length);
      else if (typeof member === "object" && member !== null)
        open.push({ value: member, depth: depth + 1 });
    };
    left -= CONTAINER_BYTES;
    if (Array.isArray(part)) {
      left -= ELEMENT_BYTES * part.length;
      for (const element of part) add(element);
      continue;
    }
    const before = seen.size;
    for (const key of Object.keys(part)) {
      left -= seen.has(key) ? KEY_BYTES : NEW_KEY_BYTES + charBytes * key.length;
      if (left < 0) return false;
      seen.add(key);
      add((part as Record<string, unknown>)[key]);
    }
    if (seen.size > before && ++withNewKeys > MAX_OBJECTS_WITH_NEW_KEYS) return false;
  }
  return left >= 0;
}
