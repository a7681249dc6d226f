import type { WorkbenchSettings } from "./config/types.ts";
import { CappedFile, append } from "./files/capped-file.ts";
import type { Redact } from "./text/redact.ts";

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

export function createLogger(settings: WorkbenchSettings["log"], redact: Redact): Logger {
  const least = ORDER.indexOf(settings.level);
  const file =
    settings.file === undefined
      ? undefined
      : new CappedFile(settings.file, FILE_BYTES, (reason) =>
          write("warn", `log file lost: ${reason}`),
        );
  // A reader that is gone or a disk that is full must never stop the serving.
  if (!process.stderr.listeners("error").includes(ignore)) process.stderr.on("error", ignore);
  const write = (level: Level, message: string, about: LogFields = {}): void => {
    if (ORDER.indexOf(level) < least) return;
    const line = redact(
      settings.format === "json"
        ? jsonLine(level, message, about)
        : textLine(level, message, about),
    );
    append(process.stderr, line);
    file?.write(line);
  };
  return {
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
