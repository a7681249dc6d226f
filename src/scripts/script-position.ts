import { cut } from "../text/truncate.ts";

/** What the script is called in stack traces. */
export const SCRIPT_NAME = "script";
/** What precedes the script. Its lines are counted so that the first of the script has number 1. */
export const SCRIPT_PREFIX = "(async function () {\n\n";
export const PREFIX_LINES = 2;

const MAX_LINE_CHARS = 200;

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The entry of a stack trace for a position; `column` counts bytes, as those of the engine do. */
export function stackEntry({ line, column }: Position): string {
  return `    at ${SCRIPT_NAME}:${line}:${column}\n`;
}

/** The place in the script that a stack trace begins with; undefined if there is none. */
export function positionIn(stack: string): Position | undefined {
  const found = new RegExp(String.raw`\b${SCRIPT_NAME}:(\d+):(\d+)`).exec(stack);
  if (found === null) return undefined;
  return { line: Number(found[1]), column: Number(found[2]) };
}

/** Whether a position is behind the end of the script, in what is added to it. */
export function isBehindEnd(source: string, { line }: Position): boolean {
  return line > source.split("\n").length;
}

/** The position in the text of a script; what is behind its end is at the end of its last line. */
export function positionInText(source: string, { line, column }: Position): Position {
  const lines = source.split("\n");
  const text = lines[line - 1];
  if (text !== undefined) return { line, column: charColumn(text, column) };
  const last = source.trimEnd().split("\n");
  return { line: last.length, column: (last.at(-1)?.length ?? 0) + 1 };
}

function charColumn(text: string, byteColumn: number): number {
  if (Buffer.byteLength(text) === text.length) return byteColumn;
  return Buffer.from(text).toString("utf8", 0, byteColumn - 1).length + 1;
}

/**
 * Where a script threw or returned something, or imported a module, if nothing else says so: at the only place
 * where it can have happened. Undefined if there are several.
 */
export function onlyPlace(
  source: string,
  keyword: "throw" | "return" | "import",
): Position | undefined {
  const places = [...source.matchAll(new RegExp(String.raw`(?<![.\w$])${keyword}\b`, "g"))];
  if (keyword === "throw" && /\breject\b|\.throw\b/.test(source)) return undefined;
  // Functions in a script return something, too, but are indented.
  const outer = places.filter(({ index }) => index === 0 || source[index - 1] === "\n");
  const [found, ...others] = keyword === "return" && outer.length === 1 ? outer : places;
  if (found === undefined || others.length > 0) return undefined;
  const before = source.slice(0, found.index).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The line of the script at a position, marked; empty if there is no such line. */
export function sourceLine(source: string, { line, column }: Position): string {
  const text = source.split("\n")[line - 1]?.replace(/\r$/, "");
  if (text === undefined || text.trim() === "") return "";
  const prefix = `${line} | `;
  const isShort = column <= MAX_LINE_CHARS;
  const mark = isShort ? `\n${" ".repeat(prefix.length + column - 1)}^` : "";
  return `${prefix}${cut(text.replaceAll("\t", " "), MAX_LINE_CHARS)}${mark}`;
}
