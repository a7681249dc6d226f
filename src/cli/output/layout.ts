import { widthOf } from "./text-width.ts";

/**
 * Aligns rows of cells in columns and leaves out empty columns. The last cell of a row wraps at
 * `width`. Where that leaves too little room, each row becomes a block: the first cell, and the
 * others below it.
 */
export function columns(
  rows: readonly (readonly string[])[],
  indent = "",
  width = Infinity,
): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  const last = Math.max(
    0,
    widths.findLastIndex((one) => one > 0),
  );
  const left = widths.slice(0, last).reduce((sum, one) => sum + (one > 0 ? one + GAP : 0), 0);
  const room = width - indent.length - left;
  const isTooWide = (widths[last] ?? 0) > room;
  if (isTooWide && room < MIN_LAST_COLUMN) return stacked(rows, indent, width);
  return rows.map((row) => alignedRow(row, { widths, indent, last, left, room })).join("\n");
}

const GAP = 2;
const MIN_LAST_COLUMN = 24;

interface Table {
  readonly widths: readonly number[];
  readonly indent: string;
  /** The index of the last column, and what is to its left and right. */
  readonly last: number;
  readonly left: number;
  readonly room: number;
}

function alignedRow(row: readonly string[], table: Table): string {
  const { widths, indent, last, left, room } = table;
  const cells = row
    .map((cell, column) => {
      if (column === last) return wrapLine(cell, room).replaceAll("\n", `\n${indent}${pad(left)}`);
      return cell + pad((widths[column] ?? 0) - widthOf(cell));
    })
    .filter((_, column) => (widths[column] ?? 0) > 0);
  return trimLines(`${indent}${cells.join(pad(GAP))}`);
}

function stacked(rows: readonly (readonly string[])[], indent: string, width: number): string {
  const inner = indent + pad(GAP);
  return rows
    .map(([first = "", ...others]) => {
      const below = others.filter((cell) => cell !== "");
      // A row without a name continues the one before.
      const lines = first === "" ? [] : [wrapLine(indent + first, width, inner)];
      return [...lines, ...below.map((cell) => wrapLine(inner + cell, width, inner))].join("\n");
    })
    .join("\n");
}

const pad = (count: number): string => " ".repeat(Math.max(0, count));

const trimLines = (text: string): string => text.replace(/ +$/gm, "");

/** Wraps a paragraph at `width` characters; a longer word gets a line of its own. */
export function wrap(text: string, width: number, indent = ""): string {
  return text
    .split("\n")
    .map((paragraph) => paragraph.split(/\s+/).filter((word) => word !== ""))
    .map((words) => (words.length === 0 ? "" : wrapLine(indent + words.join(" "), width, indent)))
    .join("\n");
}

/** Signs in front of a line: continued lines are aligned with the text after them. */
const MARKER = /^\s*(?:[✓✗!→•·|+-] |\d+\) )/u;

/** The indentation of the lines that continue a line. */
function continuation(line: string): string {
  const plain = line.replace(ANSI, "");
  const marker = MARKER.exec(plain)?.[0];
  return pad((marker ?? /^\s*/.exec(plain)?.[0] ?? "").length);
}

// oxlint-disable-next-line no-control-regex -- colour codes begin with a control character
const ANSI = /\u001b\[[\d;]*m/g;

/**
 * Wraps one line at words. Spaces inside the line are kept, so that columns stay aligned as far as
 * they fit. A word that is too long gets a line of its own.
 */
export function wrapLine(line: string, width: number, hang = continuation(line)): string {
  if (widthOf(line) <= width) return line;
  const [start = ""] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  let current = start;
  let gap = "";
  for (const part of line.slice(start.length).match(/ +|[^ ]+/g) ?? []) {
    if (part.startsWith(" ")) {
      gap = part;
      continue;
    }
    // A sign stays with the first word, however long that is.
    const hasText = widthOf(current) > Math.max(hang.length, start.length);
    if (hasText && widthOf(current) + gap.length + widthOf(part) > width) {
      lines.push(current);
      current = hang;
      gap = "";
    }
    current += gap + part;
    gap = "";
  }
  // A question ends with a space.
  return [...lines, current + gap].join("\n");
}

/** Wraps every line of a text at words; `hang` indents the continued lines. */
export function wrapLines(text: string, width: number, hang?: string): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, width, hang))
    .join("\n");
}

/** A command to copy, indented: continued lines end with a backslash, so that it is still one command. */
export function wrapCommand(command: string, width: number): string {
  return wrapLine(`  ${command}`, width - GAP, "    ").replaceAll("\n", " \\\n");
}

/** `1 tool`, `2 tools`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
