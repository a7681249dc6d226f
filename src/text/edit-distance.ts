/** Up to this limit, trying every typo is faster than a table of all distances. */
const MAX_TRIED = 2;
const NONE = -1;

/**
 * The number of typos between two words, if it is at most `limit`: letters that are missing, added,
 * replaced, or swapped with their neighbour.
 */
export function editDistance(a: string, b: string, limit: number): number | undefined {
  const distance =
    limit <= MAX_TRIED ? triedDistance(a, 0, b, 0, limit) : tableDistance(a, b, limit);
  return distance === NONE ? undefined : distance;
}

/** The distance of what follows these places, or -1 if it is above the limit. */
function triedDistance(a: string, fromA: number, b: string, fromB: number, limit: number): number {
  let i = fromA;
  let j = fromB;
  while (i < a.length && j < b.length && a.charCodeAt(i) === b.charCodeAt(j)) {
    i++;
    j++;
  }
  const longer = a.length - i - (b.length - j);
  if (Math.abs(longer) > limit) return NONE;
  if (i === a.length || j === b.length) return Math.abs(longer);
  if (limit === 0) return NONE;
  const isSwap =
    i + 1 < a.length &&
    j + 1 < b.length &&
    a.charCodeAt(i) === b.charCodeAt(j + 1) &&
    a.charCodeAt(i + 1) === b.charCodeAt(j);
  let best = triedDistance(a, i + 1, b, j + 1, limit - 1);
  if (best !== 0) best = smaller(best, triedDistance(a, i + 1, b, j, limit - 1));
  if (best !== 0) best = smaller(best, triedDistance(a, i, b, j + 1, limit - 1));
  if (best !== 0 && isSwap) best = smaller(best, triedDistance(a, i + 2, b, j + 2, limit - 1));
  return best === NONE ? NONE : best + 1;
}

function smaller(a: number, b: number): number {
  return a === NONE || (b !== NONE && b < a) ? b : a;
}

function tableDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return NONE;
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let same = 0;
  while (same < shorter - start && a.at(-1 - same) === b.at(-1 - same)) same++;
  return lastOfTable(a.slice(start, a.length - same), b.slice(start, b.length - same), limit);
}

/** The same for words that neither begin nor end with the same letter, which is a short part of similar words. */
function lastOfTable(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, at(last, j) + 1, at(row, j - 1) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
      smallest = Math.min(smallest, cost);
    }
    if (smallest > limit) return NONE;
    beforeLast = last;
    last = row;
  }
  const distance = at(last, b.length);
  return distance <= limit ? distance : NONE;
}

function at(row: readonly number[], index: number): number {
  return row[index] as number;
}
