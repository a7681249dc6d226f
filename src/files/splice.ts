import { createHash } from "node:crypto";

/**
 * The difference between two texts as one replaced stretch: enough to turn the newer text back
 * into the older one byte for byte, without keeping a whole copy of somebody's configuration.
 */
export interface Splice {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The shortest single stretch that turns `before` into `after`. */
export function spliceBetween(before: string, after: string): Splice {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return {
    at: start,
    removed: before.slice(start, before.length - end),
    inserted: after.slice(start, after.length - end),
  };
}

/** The text before a splice, from the text after it. */
export function undoSplice(after: string, { at, removed, inserted }: Splice): string {
  return after.slice(0, at) + removed + after.slice(at + inserted.length);
}

/** A fingerprint that tells whether a text is still the one we wrote. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
