/** A part of a text that both versions have, or that only one has. */
export interface DiffPart {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Comparing more words takes too long; the rest is shown as replaced. */
const MAX_CELLS = 4_000_000;

/** The difference between two texts, word by word. Joined, the parts are the two texts. */
export function wordDiff(before: string, after: string): DiffPart[] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  const least = Math.min(a.length, b.length) - start;
  while (end < least && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = lcsDiff(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return joined([
    ...a.slice(0, start).map((text): DiffPart => ({ mark: " ", text })),
    ...middle,
    ...a.slice(a.length - end).map((text): DiffPart => ({ mark: " ", text })),
  ]);
}

/** Words, runs of white space, and every other character on its own. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu) ?? [];
}

function lcsDiff(a: readonly string[], b: readonly string[]): DiffPart[] {
  const removed = (text: string): DiffPart => ({ mark: "-", text });
  const added = (text: string): DiffPart => ({ mark: "+", text });
  if (a.length * b.length > MAX_CELLS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [old, now] = [a[i], b[j]];
    if (old !== undefined && old === now) {
      parts.push({ mark: " ", text: old });
      i++;
      j++;
    } else if (old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))) {
      parts.push(removed(old));
      i++;
    } else if (now !== undefined) {
      parts.push(added(now));
      j++;
    }
  }
  return parts;
}

/** Joins neighbours with the same mark; of a replacement the removed part comes first. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const result: DiffPart[] = [];
  let [removed, added] = ["", ""];
  const flush = (): void => {
    if (removed !== "") result.push({ mark: "-", text: removed });
    if (added !== "") result.push({ mark: "+", text: added });
    [removed, added] = ["", ""];
  };
  for (const { mark, text } of parts) {
    if (mark === "-") removed += text;
    else if (mark === "+") added += text;
    else {
      flush();
      const last = result.at(-1);
      if (last?.mark === " ") result[result.length - 1] = { mark, text: last.text + text };
      else result.push({ mark, text });
    }
  }
  flush();
  return result;
}
