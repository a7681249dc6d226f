import type { WorkbenchSettings } from "./config/types.ts";
import { RotatingFile, append } from "./files/rotating-file.ts";
import type { Redact } from "./secrets/redact.ts";
import { redactStart } from "./secrets/redact-start.ts";
import { safeJson } from "./text/safe-text.ts";

/** The log for the user of the workbench. It never uses standard output, which carries MCP messages. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

type Level = keyof Logger;

const ORDER = ["debug", "info", "warn", "error", "silent"];
const FILE_BYTES = 10 * 1024 * 1024;

export const NO_LOG: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A logger whose settings can change while it is in use. */
export interface ConfigurableLogger extends Logger {
  configure(settings: LogSettings): void;
  /** Get every line that is written. */
  readonly readers: Set<(line: string) => void>;
}

type LogSettings = WorkbenchSettings["log"];

export function createLogger(settings: LogSettings, redact: Redact): ConfigurableLogger {
  let minimum = 0;
  let lineOf = textLine;
  let path: string | undefined;
  let file: RotatingFile | undefined;
  const readers = new Set<(line: string) => void>();
  // A closed stderr or a full disk must not stop the workbench.
  if (!process.stderr.listeners("error").includes(ignore)) process.stderr.on("error", ignore);
  const write = (level: Level, message: string, fields: LogFields = {}): void => {
    if (ORDER.indexOf(level) < minimum) return;
    const line = redact(lineOf(level, redactStart(redact, message), fields));
    append(process.stderr, line);
    file?.write(line);
    for (const reader of readers) reader(line);
  };
  const onLost = (reason: string): void => write("warn", `cannot write to the log file: ${reason}`);
  const configure = (next: LogSettings): void => {
    minimum = ORDER.indexOf(next.level);
    lineOf = next.format === "json" ? jsonLine : textLine;
    // A silent log does not create an empty file.
    const nextPath = next.level === "silent" ? undefined : next.file;
    if (nextPath === path) return;
    file?.close();
    path = nextPath;
    file = path === undefined ? undefined : new RotatingFile(path, FILE_BYTES, onLost);
  };
  configure(settings);
  return {
    configure,
    readers,
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, fields) => write("error", message, fields),
  };
}

const ignore = (): void => {};

function jsonLine(level: Level, message: string, fields: LogFields): string {
  return `${safeJson(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }))}\n`;
}

/** What a terminal or a reader of lines obeys: controls, line separators, marks that change the direction. */
const CONTROL =
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes.
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

function textLine(level: Level, message: string, fields: LogFields): string {
  const texts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        ` ${key}=${typeof value === "string" ? safeJson(JSON.stringify(value)) : value}`,
    );
  // The message may contain text from a server, which must not be able to fake a log line.
  const oneLine = message.replace(CONTROL, " ");
  return `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${oneLine}${texts.join("")}\n`;
}
