import { type DiffPart, sequenceDiff } from "../text/sequence-diff.ts";

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

const NO_NEWLINE = "\\ No newline at end of file";

/** A unified diff of two texts for users to read; empty if they are equal. */
export function unifiedDiff(before: string, after: string, options: DiffOptions = {}): string {
  if (before === after) return "";
  const { context = 3, mask = (line: string) => line, maxLines = 400 } = options;
  const lines = sequenceDiff(toLines(before), toLines(after), MAX_COMPARISONS);
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

/** Above this many comparisons, the changed part is shown as one replacement. */
const MAX_COMPARISONS = 1_000_000;

interface Hunk {
  readonly start: number;
  readonly end: number;
}

function hunks(lines: readonly DiffPart[], context: number): readonly Hunk[] {
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

function heading(lines: readonly DiffPart[], start: number, end: number): string {
  const range = (mark: DiffPart["mark"]): string => {
    const counts = (part: readonly DiffPart[]): number =>
      part.filter((line) => line.mark === " " || line.mark === mark).length;
    const size = counts(lines.slice(start, end));
    const first = counts(lines.slice(0, start)) + (size === 0 ? 0 : 1);
    return `${mark}${first},${size}`;
  };
  return `@@ ${range("-")} ${range("+")} @@`;
}
