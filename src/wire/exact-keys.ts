import { foldCase } from "../text/fold-case.ts";
import { scanMembers } from "./members.ts";

/**
 * Readers disagree about JSON keys: of two equal ones some take the first and some the last, and
 * some ignore case. So a key that decides something must be written exactly, once, and no other key
 * beside it may be mistaken for it. All other keys pass through unchanged.
 */

/** The keys of an object that decide something, and the rules for the objects below them. */
export interface Shape {
  /** The keys by their folded form. */
  readonly keys: ReadonlyMap<string, string>;
  readonly below: Readonly<Record<string, Shape>>;
  /** A key with more characters equals none of them, however it is folded. */
  readonly maxChars: number;
}

/** Folding removes at most every other character: a combining dot after each letter. */
const MAX_SHRINKAGE = 2;

export function shapeOf(
  keys: readonly string[],
  below: Readonly<Record<string, Shape>> = {},
): Shape {
  const maxChars = MAX_SHRINKAGE * Math.max(0, ...keys.map((key) => key.length));
  return { keys: new Map(keys.map((key) => [foldCase(key), key])), below, maxChars };
}

/** A key that readers may understand differently. */
export interface InexactKey {
  /** The keys of the objects around it, outermost first. */
  readonly path: readonly string[];
  readonly reason: string;
}

/** The first inexact key of the object at `from`; the text must have been accepted by JSON.parse. */
export function inexactKey(text: string, shape: Shape, from = 0): InexactKey | undefined {
  let found: InexactKey | undefined;
  walk(text, from, shape, [], (key) => {
    found ??= key;
  });
  return found;
}

function walk(
  text: string,
  from: number,
  { keys, below, maxChars }: Shape,
  path: readonly string[],
  report: (key: InexactKey) => void,
): number | undefined {
  const seen = new Set<string>();
  return scanMembers(text, from, (key, start, skip, isEscaped) => {
    const meant = charsBeforeNul(key) > maxChars ? undefined : keys.get(foldCase(key));
    if (meant === undefined) return skip(start);
    const place = [...path, key].join(".");
    if (key !== meant)
      report({ path, reason: `${quoted(place)} could be mistaken for '${meant}'` });
    else if (isEscaped) report({ path, reason: `the key ${quoted(place)} contains escapes` });
    else if (seen.has(key)) report({ path, reason: `the key ${quoted(place)} occurs twice` });
    seen.add(key);
    const shape = Object.hasOwn(below, key) ? below[key] : undefined;
    const end = shape && walk(text, start, shape, [...path, key], report);
    return end ?? skip(start);
  });
}

/** The number of characters of a key before the first NUL, where some readers stop. */
function charsBeforeNul(key: string): number {
  const end = key.indexOf("\0");
  return end < 0 ? key.length : end;
}

const MAX_QUOTED_CHARS = 100;

function quoted(key: string): string {
  return `'${JSON.stringify(key.slice(0, MAX_QUOTED_CHARS)).slice(1, -1)}'`;
}
