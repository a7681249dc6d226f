import type { ServerRef } from "../../calls/identifier.ts";
import { RPC, reasonOf } from "../../errors.ts";
import type { Line } from "../../wire/lines.ts";
import { type InvalidMessage, errorText } from "../../wire/messages.ts";
import { requestIdOf } from "../../wire/request-id.ts";
import type { Host } from "../host.ts";
import type { UnreadMessage } from "./unread.ts";

const QUOTED = 120;
/** Longer lines are not searched for secrets. */
const MAX_QUOTED_BYTES = 16 * 1024;

/** The connection over which unreadable input arrives. */
export interface InputSource {
  readonly place: ServerRef;
  readonly channel: { readonly pid: number | undefined };
  send(message: string): void;
}

/**
 * Reports and refuses what a server sends that cannot be read or handled. Each kind is logged once
 * for each connection: some servers do it all the time, and it does no harm.
 */
export class UnreadableInput {
  readonly #source: InputSource;
  readonly #host: Pick<Host, "log" | "redact">;
  readonly #reported = new Set<string>();

  constructor(source: InputSource, host: Pick<Host, "log" | "redact">) {
    this.#source = source;
    this.#host = host;
  }

  /** The server writes something that is not a message where only messages may be. */
  reportUnreadable(line: Line): void {
    if (!this.#isFirst("noise")) return;
    const { redact, log } = this.#host;
    const quote =
      line.bytes > MAX_QUOTED_BYTES ? "" : `: ${redact(line.text).trim().slice(0, QUOTED)}`;
    const { channel, place } = this.#source;
    const what = channel.pid === undefined ? "data" : "a line on standard output";
    log.warn(`ignored ${what} that is not a message${quote}`, place);
  }

  /** A message could not be handled. Only the server that sent it is affected. */
  reportMishandled(error: unknown): void {
    const message = `ignored a message that could not be handled: ${reasonOf(error)}`;
    if (this.#isFirst("mishandled")) this.#host.log.error(message, this.#source.place);
  }

  /** An unreadable request gets an error response; any other unreadable message is lost. */
  refuseInvalid({ idText, code, reason }: InvalidMessage, line: Line): void {
    this.reportUnreadable(line);
    if (idText === "null") return;
    this.#source.send(errorText(idText, { code, message: `Invalid request: ${reason}` }));
  }

  /** A request that is too large gets an error response; a notification is lost. */
  refuseUnread({ head, tail, bytes, problem }: UnreadMessage): void {
    const message = `a message of ${bytes} bytes exceeds the limit ${problem}`;
    const { place } = this.#source;
    if (this.#isFirst("unread")) this.#host.log.warn(`ignored ${message}`, place);
    const idText = requestIdOf(head, tail);
    if (idText !== undefined)
      this.#source.send(errorText(idText, { code: RPC.invalidRequest, message }));
  }

  #isFirst(kind: string): boolean {
    if (this.#reported.has(kind)) return false;
    this.#reported.add(kind);
    return true;
  }
}
