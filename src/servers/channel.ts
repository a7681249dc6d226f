import type { Call } from "../relay/call.ts";
import type { Line } from "../wire/lines.ts";

/** A way to exchange messages with one server: a child process, or HTTP. */
export interface Channel {
  /** Sends one JSON-RPC message; for a request, `call` is what waits for its answer. */
  send(message: string, call?: Call): void;
  /** The caller gave the request up. True if the channel itself tells the server (by closing a stream). */
  abandon(call: Call): boolean;
  /** Ends the channel and everything it started; safe to call more than once. */
  close(): Promise<void>;
  /** Ends everything at once, without asking. */
  kill(): void;
  readonly pid: number | undefined;
  /** Bytes the server has not taken yet. */
  readonly backlog: number;
  /** The last lines of the server's standard error. */
  stderrTail(count: number): string[];
}

export interface ChannelEvents {
  /** A message arrived; `about` is the call on whose stream it came, where that can be told. */
  line(line: Line, about?: Call): void;
  /** A single request failed while the channel as a whole goes on. */
  undeliverable(call: Call, reason: string): void;
  /** A message above the limit was dropped; `head` holds its first bytes. */
  oversized(head: Buffer, bytes: number): void;
  /** The channel has ended by itself; said once, never after `close`. */
  lost(reason: string): void;
}
