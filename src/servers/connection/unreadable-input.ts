import { reasonOf } from "../../errors.ts";
import type { Line } from "../../wire/lines.ts";
import { type InvalidMessage, errorText } from "../../wire/messages.ts";
import type { Connection } from "./connection.ts";
import type { Host } from "../host.ts";

const QUOTED = 120;
/** Longer lines are not searched for secrets. */
const MAX_QUOTED_BYTES = 16 * 1024;
const reported = new WeakMap<Connection, Set<string>>();

/**
 * Reports that a server writes something other than messages to its output. Once per connection is
 * enough: some servers do it all the time, and it does no harm.
 */
export function reportUnreadable(connection: Connection, { redact, log }: Host, line: Line): void {
  if (!isFirst(connection, "noise")) return;
  const quote =
    line.bytes > MAX_QUOTED_BYTES ? "" : `: ${redact(line.text).trim().slice(0, QUOTED)}`;
  const what = connection.pid === undefined ? "data" : "a line on standard output";
  log.warn(`ignored ${what} that is not a message${quote}`, connection.place);
}

/** Reports that a message could not be handled. Only the server that sent it is affected. */
export function reportMishandled(connection: Connection, { log }: Host, error: unknown): void {
  const message = `ignored a message that could not be handled: ${reasonOf(error)}`;
  if (isFirst(connection, "mishandled")) log.error(message, connection.place);
}

/** True once per connection and kind of report: a server may repeat the same mistake. */
export function isFirst(connection: Connection, kind: string): boolean {
  const kinds = reported.get(connection) ?? new Set();
  reported.set(connection, kinds);
  if (kinds.has(kind)) return false;
  kinds.add(kind);
  return true;
}

/** An unreadable request gets an error response; any other unreadable message is lost. */
export function refuseInvalid(
  connection: Connection,
  host: Host,
  { idText, code, reason }: InvalidMessage,
  line: Line,
): void {
  reportUnreadable(connection, host, line);
  if (idText === "null") return;
  connection.send(errorText(idText, { code, message: `Invalid request: ${reason}` }));
}
