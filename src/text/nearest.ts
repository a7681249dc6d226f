import { editDistance } from "./edit-distance.ts";

/** Longer words are not typed by hand, and the comparison takes quadratic time. */
const MAX_LENGTH = 64;

/**
 * The candidate that `word` was probably meant to be, or undefined if none is close enough. Case is
 * ignored; of equally close candidates the first wins.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const target = word.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const other = candidate.slice(0, MAX_LENGTH).toLowerCase();
    const tolerated = toleratedDistance(target, other);
    const distance = editDistance(target, other, tolerated);
    if (distance !== undefined && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** One typo in a short word, one per three letters in a longer one; never the whole word. */
function toleratedDistance(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  return length < 2 ? 0 : Math.max(1, Math.floor(length / 3));
}
