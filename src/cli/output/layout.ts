import { stripVTControlCharacters } from "node:util";

/** The width of a text without its colour codes. */
const widthOf = (text: string): number => stripVTControlCharacters(text).length;

/** Aligns rows of cells in columns; the last one has no fixed width, and empty columns are left out. */
export function columns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  const lines = rows.map((row) => {
    const cells = row
      .map((cell, column) => {
        const isLast = column === row.length - 1;
        return isLast ? cell : cell + " ".repeat((widths[column] ?? 0) - widthOf(cell));
      })
      .filter((_, column) => (widths[column] ?? 0) > 0);
    return `${indent}${cells.join("  ")}`.trimEnd();
  });
  return lines.join("\n");
}

/** Terms and their meanings, the meanings wrapped at `width`. */
export function definitions(
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
  indent = "",
): string {
  const left = Math.max(...rows.map(([term]) => widthOf(term)));
  const room = Math.max(MIN_MEANING_WIDTH, width - indent.length - left - 2);
  const lines = rows.flatMap(([term, meaning]) =>
    wrap(meaning, room)
      .split("\n")
      .map((line, index) => [index === 0 ? term : "", line]),
  );
  return columns(lines, indent);
}

const MIN_MEANING_WIDTH = 24;

/** Wraps a paragraph at `width` characters; a longer word gets a line of its own. */
export function wrap(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(/\s+/).filter((part) => part !== "")) {
      if (line !== "" && indent.length + widthOf(line) + 1 + widthOf(word) > width) {
        lines.push(line);
        line = "";
      }
      line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.map((line) => (line === "" ? "" : indent + line)).join("\n");
}

/** `1 tool`, `2 tools`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
