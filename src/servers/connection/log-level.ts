import type { JsonObject } from "../../wire/messages.ts";
import { ask } from "../requests/ask.ts";
import type { Connection } from "./connection.ts";

/** From the most verbose to the least. */
export const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Whether a log message reaches a client's level; a client without a level gets everything. */
export function reaches(threshold: string | undefined, { level }: JsonObject): boolean {
  return (
    threshold === undefined || LOG_LEVELS.indexOf(String(level)) >= LOG_LEVELS.indexOf(threshold)
  );
}

/**
 * Sets the log level of a legacy server. It has one level for all clients: the most verbose that
 * any of them asked for; `further` is the level of a caller that is not one of them.
 */
export async function sendLogLevel(connection: Connection, further?: string): Promise<void> {
  if (connection.hello.era === "modern" || !("logging" in connection.hello.capabilities)) return;
  const clients = Array.from(connection.clients, ({ logLevel }) => logLevel);
  const indexes = [...clients, further].map((level) => LOG_LEVELS.indexOf(level ?? ""));
  const level = LOG_LEVELS[Math.min(...indexes.filter((index) => index >= 0))];
  if (level !== undefined) await ask(connection, "logging/setLevel", { level }).catch(() => {});
}
