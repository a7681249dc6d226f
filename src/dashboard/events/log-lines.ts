import { isObject, parseJson } from "../../text/json.ts";
import type { LogLevel, LogLine } from "../contract.ts";

export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const MAX_LINES = 2000;
const MAX_CHARS = 4000;
const TEXT_LINE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (DEBUG|INFO|WARN|ERROR) +/;

/** The last lines of the log, since they are read. */
export class LogLines {
  #lines: string[] = [];

  get all(): readonly string[] {
    return this.#lines;
  }

  add(line: string): void {
    this.#lines.push(line.trimEnd());
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
  }

  clear(): void {
    this.#lines = [];
  }
}

/** A line of the log, in either of its formats. */
export function parseLogLine(line: string): LogLine {
  const [head, time, level] = TEXT_LINE.exec(line) ?? [];
  if (head !== undefined && time !== undefined)
    return { time, level: levelOf(level), text: shortened(line.slice(head.length)) };
  const fields = line.startsWith("{") ? parseJson(line) : undefined;
  if (!isObject(fields)) return { time: null, level: null, text: shortened(line) };
  const { time: at, level: named, message, ...others } = fields;
  const more = Object.entries(others).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return {
    time: typeof at === "string" ? at : null,
    level: levelOf(named),
    text: shortened(`${String(message)}${more.join("")}`),
  };
}

function levelOf(value: unknown): LogLevel | null {
  return LOG_LEVELS.find((level) => level === String(value).toLowerCase()) ?? null;
}

function shortened(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
