import { tokensIn } from "../secrets/patterns.ts";
import type { Redact } from "../secrets/redact.ts";
import { redactStart } from "../secrets/redact-start.ts";
import { isObject } from "../text/json.ts";
import { cut } from "../text/truncate.ts";

const MAX_DEPTH = 4;
const MAX_MEMBERS = 32;
const MAX_KEY_CHARS = 64;
/** The values in a summary, in total. */
const MAX_PARTS = 200;
/** Shorter keys are names of parameters. */
const MIN_SECRET_CHARS = 16;
const MAX_SEARCHED_CHARS = 1024;
const MASK = "[redacted]";
/** Replaces what exceeds a limit. */
const MORE = "…";

/** What a summary shows of a string, number, boolean or null. */
export type Leaf = (value: unknown, key: string) => unknown;

/**
 * The keys and types of a value, without anything of the values: `{"path":"string","tags":["string"]}`.
 * A list is described by its first element.
 */
export function shapeOf(value: unknown, redact: Redact): unknown {
  return summaryOf(value, (leaf) => (leaf === null ? "null" : typeof leaf), redact, 1);
}

/** A value of limited size and depth, with `leaf` in place of everything that has no members. */
export function summaryOf(
  value: unknown,
  leaf: Leaf,
  redact: Redact,
  maxElements = MAX_MEMBERS,
): unknown {
  let parts = 0;
  // Secrets are replaced before a key is cut: the start of one would not be recognized.
  const shownKey = (key: string): string => {
    if (key.length < MIN_SECRET_CHARS) return key;
    return tokensIn(key.slice(0, MAX_SEARCHED_CHARS)).length > 0
      ? MASK
      : cut(redactStart(redact, key), MAX_KEY_CHARS);
  };
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
      entries.push([shownKey(name), summarize(member, name, depth + 1)]);
    }
    return Object.fromEntries(entries);
  };
  return summarize(value, "", 0);
}
