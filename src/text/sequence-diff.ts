/** A part that both versions have, or that only one has. */
export interface DiffPart {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/**
 * The difference between two sequences of texts, by their longest common subsequence. If that takes more
 * comparisons than allowed, the part between the equal head and tail is one replacement.
 */
export function sequenceDiff(
  before: readonly string[],
  after: readonly string[],
  maxComparisons: number,
): readonly DiffPart[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (part: readonly string[]): DiffPart[] => part.map((text) => ({ mark: " ", text }));
  const [old, now] = [before, after].map((all) => all.slice(head, all.length - tail));
  return [
    ...same(before.slice(0, head)),
    ...middleDiff(old ?? [], now ?? [], maxComparisons),
    ...same(before.slice(before.length - tail)),
  ];
}

function middleDiff(
  before: readonly string[],
  after: readonly string[],
  maxComparisons: number,
): DiffPart[] {
  const columns = after.length + 1;
  const isCompared = before.length * after.length <= maxComparisons;
  const common = new Uint32Array(isCompared ? (before.length + 1) * columns : 0);
  const at = (i: number, j: number): number => common[i * columns + j] ?? 0;
  if (isCompared)
    for (let i = before.length - 1; i >= 0; i--)
      for (let j = after.length - 1; j >= 0; j--)
        common[i * columns + j] =
          before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const removed = before[i];
    const added = after[j];
    if (isCompared && removed !== undefined && removed === added) {
      parts.push({ mark: " ", text: removed });
      i++;
      j++;
    } else if (removed !== undefined && (added === undefined || at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ mark: "-", text: removed });
      i++;
    } else if (added !== undefined) {
      parts.push({ mark: "+", text: added });
      j++;
    }
  }
  return parts;
}
