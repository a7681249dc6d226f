import { createHash } from "node:crypto";

/**
 * The difference between two texts as one replaced range: enough to restore the older text byte for
 * byte without keeping a copy of the whole configuration.
 */
export interface Splice {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The shortest single replacement that turns `before` into `after`. */
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

/** The text after a splice, from the text before it. */
export function redoSplice(before: string, { at, removed, inserted }: Splice): string {
  return before.slice(0, at) + inserted + before.slice(at + removed.length);
}

/** A hash to detect whether a text is still the one the workbench wrote. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
