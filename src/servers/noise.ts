import { RPC } from "../errors.ts";
import type { Line } from "../wire/lines.ts";
import { type InvalidMessage, errorText } from "../wire/messages.ts";
import { requestIdOf } from "../wire/request-id.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionOwner } from "./connection-owner.ts";
import type { Host } from "./host.ts";

const QUOTED = 120;
/** Above this a line is not worth being searched for secrets. */
const MOST_BYTES = 16 * 1024;
const NOTHING = Buffer.alloc(0);
const reported = new WeakSet<Connection>();

/**
 * Tells that a server writes what is no message where only messages may be. Once for each connection
 * is enough: some servers do it all the time, and it does no harm.
 */
export function reportNoise(connection: Connection, { redact, log }: Host, line: Line): void {
  if (reported.has(connection)) return;
  reported.add(connection);
  const quote = line.bytes > MOST_BYTES ? "" : `: ${redact(line.text).trim().slice(0, QUOTED)}`;
  const what = connection.pid === undefined ? "data" : "a line on standard output";
  log.warn(`ignored ${what} that is no message${quote}`, connection.place);
}

/** A request that cannot be understood gets its answer; whatever else it is, is lost. */
export function refuseInvalid(
  connection: Connection,
  host: Host,
  { idText, code, reason }: InvalidMessage,
  line: Line,
): void {
  reportNoise(connection, host, line);
  if (idText === "null") return;
  connection.send(errorText(idText, { code, message: `Invalid request: ${reason}` }));
}

/** A question that is too large gets its answer; a notification is lost. */
export function refuseOversized(
  connection: Connection,
  { settings, host }: ConnectionOwner,
  head: Buffer,
  bytes: number,
  tail: Buffer = NOTHING,
): void {
  const limit = settings.limits.messageBytes;
  const message = `a message of ${bytes} bytes is over the limit of ${limit} (limits.messageBytes)`;
  host.log.warn(`ignored ${message}`, connection.place);
  const idText = requestIdOf(head, tail);
  if (idText !== undefined)
    connection.send(errorText(idText, { code: RPC.invalidRequest, message }));
}
