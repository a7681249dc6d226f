import { isObject } from "../text/json.ts";
import { cut } from "../text/truncate.ts";

const MAX_DEPTH = 4;
const MAX_MEMBERS = 32;
const MAX_KEY_CHARS = 64;
/** The values in a summary, in total. */
const MAX_PARTS = 200;
/** Replaces what exceeds a limit. */
const MORE = "…";

/** What a summary shows of a string, number, boolean or null. */
export type Leaf = (value: unknown, key: string) => unknown;

/**
 * The keys and types of a value, without anything of the values: `{"path":"string","tags":["string"]}`.
 * A list is described by its first element.
 */
export function shapeOf(value: unknown): unknown {
  return summaryOf(value, (leaf) => (leaf === null ? "null" : typeof leaf), 1);
}

/** A value of limited size and depth, with `leaf` in place of everything that has no members. */
export function summaryOf(value: unknown, leaf: Leaf, maxElements = MAX_MEMBERS): unknown {
  let parts = 0;
  const summarize = (part: unknown, key: string, depth: number): unknown => {
    parts++;
    if (typeof part !== "object" || part === null) return leaf(part, key);
    if (depth >= MAX_DEPTH || parts > MAX_PARTS) return Array.isArray(part) ? "array" : "object";
    if (Array.isArray(part))
      return part.slice(0, maxElements).map((element) => summarize(element, key, depth + 1));
    const entries: [string, unknown][] = [];
    for (const [name, member] of Object.entries(isObject(part) ? part : {})) {
      if (entries.length >= MAX_MEMBERS || parts > MAX_PARTS) {
        entries.push([MORE, MORE]);
        break;
      }
      entries.push([cut(name, MAX_KEY_CHARS), summarize(member, name, depth + 1)]);
    }
    return Object.fromEntries(entries);
  };
  return summarize(value, "", 0);
}
