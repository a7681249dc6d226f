import { type DiffPart, sequenceDiff } from "../text/sequence-diff.ts";

/** Comparing more words takes too long; the rest is shown as replaced. */
const MAX_COMPARISONS = 4_000_000;

/** The difference between two texts, word by word. Joined, the parts are the two texts. */
export function wordDiff(before: string, after: string): DiffPart[] {
  return joined(sequenceDiff(wordsOf(before), wordsOf(after), MAX_COMPARISONS));
}

/** Words, runs of white space, and every other character on its own. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu) ?? [];
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
