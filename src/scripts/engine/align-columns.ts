/**
 * Adds spaces to code from which something was removed, so that every token is in its column again.
 * Columns are bytes, as those of the engine. `mappings` are those of a source map, of which every line
 * is a line of the source. Behind code that was added, the rest of the line stays where it is.
 */
export function alignColumns(code: string, source: string, mappings: string): string {
  const sourceLines = source.split("\n");
  const groups = mappings.split(";");
  let mapped = 0;
  const align = (line: string, i: number): string => {
    const sourceLine = sourceLines[i] ?? "";
    let [at, sourceAt, column] = [0, 0, 0];
    let out = "";
    /** Adds the code up to a place, which is that place in the source. */
    const advance = (end: number, sourceEnd: number): void => {
      if (end < at || sourceEnd < sourceAt) return;
      out += aligned(line.slice(at, end), sourceLine.slice(sourceAt, sourceEnd));
      [at, sourceAt] = [end, sourceEnd];
    };
    for (const segment of (groups[i] ?? "").split(",").filter((text) => text !== "")) {
      const [columns = 0, , , sourceColumns = 0] = numbersIn(segment);
      column += columns;
      mapped += sourceColumns;
      advance(column, mapped);
    }
    advance(line.length, sourceLine.length);
    return out + line.slice(at);
  };
  return code.split("\n").map(align).join("\n");
}

/**
 * A piece of code, which is at most one token, with spaces for what was removed from its source. They
 * are added only where the source had something else, never inside of a token.
 */
function aligned(code: string, source: string): string {
  const missing = Buffer.byteLength(source) - Buffer.byteLength(code);
  if (missing <= 0) return code;
  // The parser writes this itself for `): T =>`, without the place of each token.
  const [, end, arrow] = /^(\)?)(\s*=>\s*)$/.exec(code) ?? [];
  if (end !== undefined && arrow !== undefined) return end + " ".repeat(missing) + arrow;
  let same = 0;
  while (same < code.length && code[same] === source[same]) same++;
  while (same > 0 && same < code.length && isWord(code[same - 1]) && isWord(code[same])) same--;
  const rest = code.slice(same);
  if (!source.endsWith(rest)) return code;
  return code.slice(0, same) + " ".repeat(missing) + rest;
}

function isWord(char = ""): boolean {
  return /[\w$]|[^\0-\x7f]/.test(char);
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
