/**
 * Limits on JSON that has to be parsed. JSON.parse blocks the event loop, so all clients wait while
 * one message is parsed. The text is scanned first, which takes a small part of that time.
 */

import { COLON, COMMA, QUOTE } from "./characters.ts";
import { stringEnd } from "./string-end.ts";

/** Deeper values can be parsed but not written again: JSON.stringify would exhaust the stack. */
export const MAX_DEPTH = 128;

/**
 * What JSON.parse costs, in units of about 0.1 µs on a 2-core virtual machine: short strings and keys
 * are looked up in a table of all known strings, and a key may give its object another layout. Numbers,
 * brackets and the inside of long strings cost next to nothing.
 */
const STRING_COST = 5;
const MEMBER_COST = 8;
const ELEMENT_COST = 1;

/**
 * One budget for the whole text, because a message can have a lot of each. It allows 40,000 members,
 * 100,000 strings or 500,000 other elements, and takes at most 80 ms to parse.
 */
const MAX_COST = 600_000;

/** The limit that a JSON text exceeds; undefined if it may be parsed. */
export function excessOf(text: string, maxCost = MAX_COST): string | undefined {
  // JSON of this length cannot exceed any limit.
  if (text.length <= 2 * MAX_DEPTH) return undefined;
  let depth = 0;
  let cost = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c <= COLON) {
      if (c === QUOTE) {
        i = stringEnd(text, i) - 1;
        cost += STRING_COST;
      } else if (c === COMMA) cost += ELEMENT_COST;
      else if (c === COLON) cost += MEMBER_COST;
      if (cost > maxCost) return "it has too many members, strings and elements";
    }
    // `[` and `{` differ in one bit from each other, as do `]` and `}`.
    else if ((c | 0x20) === 0x7b) {
      if (++depth > MAX_DEPTH) return `it is over ${MAX_DEPTH} levels deep`;
    } else if ((c | 0x20) === 0x7d) depth--;
  }
  return undefined;
}

/** JSON.parse for texts of a peer. Also throws for JSON that exceeds a limit. */
export function parseWithinLimits(text: string): unknown {
  const excess = excessOf(text);
  if (excess !== undefined) throw new Error(excess);
  return JSON.parse(text);
}

/** The same; undefined for a text that is not JSON or exceeds a limit. */
export function tryParseWithinLimits(text: string): unknown {
  try {
    return parseWithinLimits(text);
  } catch {
    return undefined;
  }
}
