import type { WorkbenchSettings } from "./config/types.ts";
import { CappedFile, append } from "./files/capped-file.ts";
import type { Redact } from "./text/redact.ts";
import { redactStart } from "./text/redact-start.ts";

/** What happened, for the person who runs the workbench. Standard output is the protocol's. */
export interface Logger {
  debug(message: string, about?: LogFields): void;
  info(message: string, about?: LogFields): void;
  warn(message: string, about?: LogFields): void;
  error(message: string, about?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

type Level = keyof Logger;

const ORDER = ["debug", "info", "warn", "error", "silent"];
const FILE_BYTES = 10 * 1024 * 1024;

export const NO_LOG: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A log whose settings can change while it is used. */
export interface ConfigurableLogger extends Logger {
  configure(settings: LogSettings): void;
}

type LogSettings = WorkbenchSettings["log"];

export function createLogger(settings: LogSettings, redact: Redact): ConfigurableLogger {
  let least = 0;
  let lineOf = textLine;
  let path: string | undefined;
  let file: CappedFile | undefined;
  // A reader that is gone or a disk that is full must never stop the serving.
  if (!process.stderr.listeners("error").includes(ignore)) process.stderr.on("error", ignore);
  const write = (level: Level, message: string, about: LogFields = {}): void => {
    if (ORDER.indexOf(level) < least) return;
    const line = redact(lineOf(level, redactStart(redact, message), about));
    append(process.stderr, line);
    file?.write(line);
  };
  const lost = (reason: string): void => write("warn", `log file lost: ${reason}`);
  const configure = (next: LogSettings): void => {
    least = ORDER.indexOf(next.level);
    lineOf = next.format === "json" ? jsonLine : textLine;
    // What stays silent leaves no empty file behind.
    const wanted = next.level === "silent" ? undefined : next.file;
    if (wanted === path) return;
    file?.close();
    path = wanted;
    file = path === undefined ? undefined : new CappedFile(path, FILE_BYTES, lost);
  };
  configure(settings);
  return {
    configure,
    debug: (message, about) => write("debug", message, about),
    info: (message, about) => write("info", message, about),
    warn: (message, about) => write("warn", message, about),
    error: (message, about) => write("error", message, about),
  };
}

const ignore = (): void => {};

function jsonLine(level: Level, message: string, about: LogFields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, message, ...about })}\n`;
}

// oxlint-disable-next-line no-control-regex -- control characters are what this removes.
const CONTROL = /[\u0000-\u001f\u007f]+/g;

function textLine(level: Level, message: string, about: LogFields): string {
  const fields = Object.entries(about)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${typeof value === "string" ? JSON.stringify(value) : value}`);
  // What servers wrote may be in the message: it must not be able to look like a line of ours.
  const oneLine = message.replace(CONTROL, " ");
  return `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${oneLine}${fields.join("")}\n`;
}
