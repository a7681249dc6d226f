import type { JsonObject } from "../../wire/messages.ts";
import { ask } from "../requests/ask.ts";
import type { Connection } from "./connection.ts";

/** From the most talkative to the most quiet. */
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

/** Whether a log message reaches the level a client wants; a client that wants none has no say. */
export function reaches(wanted: string | undefined, { level }: JsonObject): boolean {
  return wanted === undefined || LOG_LEVELS.indexOf(String(level)) >= LOG_LEVELS.indexOf(wanted);
}

/**
 * Tells a legacy server how much to log. It has one level for all of its clients: the most talkative
 * that one of them wants; `further` is what somebody wants who is not among them.
 */
export async function sendLogLevel(connection: Connection, further?: string): Promise<void> {
  if (connection.era === "modern" || !("logging" in connection.hello.capabilities)) return;
  const clients = Array.from(connection.clients, ({ logLevel }) => logLevel);
  const wanted = [...clients, further].map((level) => LOG_LEVELS.indexOf(level ?? ""));
  const level = LOG_LEVELS[Math.min(...wanted.filter((index) => index >= 0))];
  if (level !== undefined) await ask(connection, "logging/setLevel", { level }).catch(() => {});
}
