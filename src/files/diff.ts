export interface DiffOptions {
  /** Names shown in the header. */
  readonly from?: string;
  readonly to?: string;
  /** Unchanged lines shown around each change. */
  readonly context?: number;
  /** Applied to every line that is shown, to hide secrets. */
  readonly mask?: (line: string) => string;
  /** Maximum number of lines shown. */
  readonly maxLines?: number;
}

type Mark = " " | "-" | "+";
interface Line {
  readonly mark: Mark;
  readonly text: string;
}

const NO_NEWLINE = "\\ No newline at end of file";

/** A unified diff of two texts for users to read; empty if they are equal. */
export function unifiedDiff(before: string, after: string, options: DiffOptions = {}): string {
  if (before === after) return "";
  const { context = 3, mask = (line: string) => line, maxLines = 400 } = options;
  const lines = compare(toLines(before), toLines(after));
  const shown = [`--- ${options.from ?? "before"}`, `+++ ${options.to ?? "after"}`];
  for (const { start, end } of hunks(lines, context)) {
    shown.push(heading(lines, start, end));
    for (const { mark, text } of lines.slice(start, end)) {
      const ended = text.endsWith("\n");
      shown.push(mark + mask(text.replace(/\r?\n$/, "")));
      if (!ended) shown.push(NO_NEWLINE);
    }
  }
  if (shown.length <= maxLines) return `${shown.join("\n")}\n`;
  const rest = shown.length - maxLines;
  return `${shown.slice(0, maxLines).join("\n")}\n… ${rest} more lines\n`;
}

/** Lines including their line endings, so that a changed line ending is a change. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (part: readonly string[]): Line[] => part.map((text) => ({ mark: " ", text }));
  return [
    ...same(before.slice(0, head)),
    ...compareMiddle(
      before.slice(head, before.length - tail),
      after.slice(head, after.length - tail),
    ),
    ...same(before.slice(before.length - tail)),
  ];
}

/** Above this many comparisons, the changed part is shown as one replacement. */
const MAX_COMPARISONS = 1_000_000;

/** Longest common subsequence of the part between the equal head and tail. */
function compareMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const columns = after.length + 1;
  const worthwhile = before.length * after.length <= MAX_COMPARISONS;
  const common = new Uint32Array(worthwhile ? (before.length + 1) * columns : 0);
  const at = (i: number, j: number): number => common[i * columns + j] ?? 0;
  if (worthwhile) {
    for (let i = before.length - 1; i >= 0; i -= 1) {
      for (let j = after.length - 1; j >= 0; j -= 1) {
        common[i * columns + j] =
          before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      }
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const removed = before[i];
    const added = after[j];
    if (worthwhile && removed !== undefined && removed === added) {
      lines.push({ mark: " ", text: removed });
      i += 1;
      j += 1;
    } else if (removed !== undefined && (added === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: "-", text: removed });
      i += 1;
    } else if (added !== undefined) {
      lines.push({ mark: "+", text: added });
      j += 1;
    }
  }
  return lines;
}

interface Hunk {
  readonly start: number;
  readonly end: number;
}

function hunks(lines: readonly Line[], context: number): readonly Hunk[] {
  const found: Hunk[] = [];
  for (const [index, { mark }] of lines.entries()) {
    if (mark === " ") continue;
    const start = Math.max(0, index - context);
    const end = Math.min(lines.length, index + context + 1);
    const last = found.at(-1);
    if (last !== undefined && start <= last.end) found[found.length - 1] = { ...last, end };
    else found.push({ start, end });
  }
  return found;
}

function heading(lines: readonly Line[], start: number, end: number): string {
  const range = (mark: Mark): string => {
    const counts = (part: readonly Line[]): number =>
      part.filter((line) => line.mark === " " || line.mark === mark).length;
    const size = counts(lines.slice(start, end));
    const first = counts(lines.slice(0, start)) + (size === 0 ? 0 : 1);
    return `${mark}${first},${size}`;
  };
  return `@@ ${range("-")} ${range("+")} @@`;
}
