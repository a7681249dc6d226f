import type { Line } from "../wire/lines.ts";

/** A way to exchange messages with one server: a child process, or HTTP. */
export interface Channel {
  /** Sends one JSON-RPC message. */
  send(message: string): void;
  /** Ends the channel and everything it started; safe to call more than once. */
  close(): Promise<void>;
  readonly pid: number | undefined;
  /** Bytes the server has not taken yet. */
  readonly backlog: number;
  /** The last lines of the server's standard error. */
  stderrTail(count: number): string[];
}

export interface ChannelEvents {
  line(line: Line): void;
  /** A message above the limit was dropped; `head` holds its first bytes. */
  oversized(head: Buffer, bytes: number): void;
  /** The channel has ended by itself; said once, never after `close`. */
  lost(reason: string): void;
}
