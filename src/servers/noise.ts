import type { Line } from "../wire/lines.ts";
import type { Connection } from "./connection.ts";
import type { Host } from "./host.ts";

const QUOTED = 120;
/** Above this a line is not worth being searched for secrets. */
const MOST_BYTES = 16 * 1024;
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
