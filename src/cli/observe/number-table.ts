export function count(tokens: number | null | undefined): string {
  return typeof tokens === "number" ? tokens.toLocaleString("en-US") : "–";
}

/** Aligns the first column to the left and numbers to the right; stacks them if that is too wide. */
export function numberTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const all = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const total = widths.reduce((sum, one) => sum + one + GAP, -GAP);
  if (total > width) return stackedTable(header, rows);
  return all.map((row) => alignedRow(row, widths)).join("\n");
}

const GAP = 2;

function alignedRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    .join(" ".repeat(GAP))
    .trimEnd();
}

/** One block for each row, with one line for each number. */
function stackedTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const labelWidth = Math.max(...header.map((label) => label.length));
  return rows
    .map(([name = "", ...cells]) => {
      const numbers = cells.flatMap((cell, i) =>
        cell === "" ? [] : [[header[i + 1] ?? "", cell]],
      );
      const indent = `${/^ */.exec(name)?.[0] ?? ""}  `;
      const widest = Math.max(...numbers.map(([, cell = ""]) => cell.length));
      const lines = numbers.map(
        ([label = "", cell = ""]) =>
          `${indent}${label.padEnd(labelWidth)}  ${cell.padStart(widest)}`,
      );
      return [name, ...lines].join("\n");
    })
    .join("\n");
}
