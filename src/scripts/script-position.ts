import { cut } from "../text/truncate.ts";

/** What the script is called in stack traces, and what precedes its first line. */
export const SCRIPT_NAME = "script";
export const SCRIPT_PREFIX = "(async function () { ";

const MAX_LINE_CHARS = 200;

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The place in the script that a stack trace begins with; undefined if there is none. */
export function positionIn(stack: string): Position | undefined {
  const found = new RegExp(String.raw`\b${SCRIPT_NAME}:(\d+):(\d+)`).exec(stack);
  if (found === null) return undefined;
  const line = Number(found[1]);
  const column = Number(found[2]) - (line === 1 ? SCRIPT_PREFIX.length : 0);
  return { line, column: Math.max(1, column) };
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
