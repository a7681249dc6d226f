/**
 * Estimates whether a script has room for a stored result. The figures are upper bounds, measured with
 * `JSON.parse` in the engine of scripts: too high, and the agent reads text; too low, and a suggested script fails.
 */
const MEGABYTE = 1024 * 1024;
/** What every script needs, and what one that reads a little of a result needs. */
const BASE_BYTES = 2 * MEGABYTE;
const SCALAR_BYTES = 16;
const STRING_BYTES = 110;
const CONTAINER_BYTES = 110;
/** A key that is in other objects, too, and any other. */
const KEY_BYTES = 20;
const NEW_KEY_BYTES = 170;
/** The engine parses recursively, on a small stack. */
const MAX_DEPTH = 128;
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
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: part, depth } = next;
    if (left < 0 || depth > MAX_DEPTH) return false;
    if (typeof part === "string") left -= STRING_BYTES + charBytes * part.length;
    else if (typeof part !== "object" || part === null) left -= SCALAR_BYTES;
    else {
      left -= CONTAINER_BYTES;
      if (Array.isArray(part)) {
        left -= SCALAR_BYTES * part.length;
        for (const element of part) open.push({ value: element, depth: depth + 1 });
        continue;
      }
      for (const [key, member] of Object.entries(part)) {
        left -= seen.has(key) ? KEY_BYTES : NEW_KEY_BYTES + charBytes * key.length;
        seen.add(key);
        open.push({ value: member, depth: depth + 1 });
      }
    }
  }
  return left >= 0;
}
