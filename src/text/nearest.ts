/** Longer words are not typed by hand, and the comparison takes quadratic time. */
const MAX_LENGTH = 64;

/**
 * The candidate that `word` was probably meant to be, or undefined if none is close enough. Case is
 * ignored; of equally close candidates the first wins.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const other = candidate.slice(0, MAX_LENGTH).toLowerCase();
    const tolerated = toleratedDistance(wanted, other);
    if (Math.abs(wanted.length - other.length) > tolerated) continue;
    const distance = editDistance(wanted, other);
    if (distance <= tolerated && distance < bestDistance) {
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

/**
 * Damerau-Levenshtein distance in its restricted form: insertions, deletions, substitutions and
 * swaps of two neighbours each count one.
 */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(
        cell(previous, column) + 1,
        cell(current, column - 1) + 1,
        cell(previous, column - 1) + substitution,
      );
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, cell(beforePrevious, column - 2) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return cell(previous, b.length);
}

/** A cell of the table that the loop above fills. */
function cell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
