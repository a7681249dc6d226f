/**
 * Adds spaces to code from which something was removed, so that every token is in its column again.
 * Columns are bytes, as those of the engine. `mappings` are those of a source map, of which every line
 * is a line of the source.
 */
export function alignColumns(code: string, source: string, mappings: string): string {
  const sourceLines = source.split("\n");
  const groups = mappings.split(";");
  let sourceColumn = 0;
  const align = (line: string, i: number): string => {
    const sourceText = sourceLines[i] ?? "";
    let [column, from, at] = [0, 0, 0];
    let [bytes, sourceBytes] = [0, 0];
    let out = "";
    for (const segment of (groups[i] ?? "").split(",").filter((text) => text !== "")) {
      const [columns = 0, , , sourceColumns = 0] = numbersIn(segment);
      column += columns;
      sourceColumn += sourceColumns;
      // Added code may repeat an earlier place.
      if (sourceColumn < at) continue;
      const kept = line.slice(from, column);
      bytes += Buffer.byteLength(kept);
      sourceBytes += Buffer.byteLength(sourceText.slice(at, sourceColumn));
      [from, at] = [column, sourceColumn];
      const missing = Math.max(0, sourceBytes - bytes);
      bytes += missing;
      out += kept + " ".repeat(missing);
    }
    return out + line.slice(from);
  };
  return code.split("\n").map(align).join("\n");
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The numbers of a segment: groups of five bits, lowest first; the lowest of all is the sign. */
function numbersIn(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits >= 32) continue;
    numbers.push(value % 2 === 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
