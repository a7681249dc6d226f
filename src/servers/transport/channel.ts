import type { Call } from "../../calls/call.ts";
import type { DeliveryFailure } from "../../calls/call-errors.ts";
import type { Era } from "../../protocol/client-profile.ts";
import type { Line } from "../../wire/lines.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { RetryAfter } from "./retry-after.ts";

/** A way to exchange messages with one server: a child process, or HTTP. */
export interface Channel {
  /** Sends one JSON-RPC message; for a request, `call` is what waits for its answer. */
  send(message: string, call?: Call): void;
  /** The caller gave the request up. True if the channel itself tells the server (by closing a stream). */
  abandon(call: Call): boolean;
  /** The two sides have agreed on how they talk; said before the first message after the agreement. */
  onNegotiated(era: Era, version: string): void;
  /** Whether a server answers even what it does not understand, as HTTP makes it do. */
  readonly refusesUnknown: boolean;
  /** Why a tool that the server lists cannot be called over this channel; undefined if it can. */
  reasonUnusable(tool: JsonObject): string | undefined;
  /** Ends the channel and everything it started; safe to call more than once. */
  close(): Promise<void>;
  /** The server's process; undefined for a remote server. */
  readonly process?: ServerProcess;
  readonly pid: number | undefined;
  /** Bytes the server has not taken yet. */
  readonly backlog: number;
  /** The last lines of the server's standard error. */
  stderrTail(count: number): string[];
}

/** Before a channel is open. */
export const NO_CHANNEL: Channel = {
  refusesUnknown: false,
  pid: undefined,
  backlog: 0,
  send: () => {},
  abandon: () => true,
  onNegotiated: () => {},
  reasonUnusable: () => undefined,
  stderrTail: () => [],
  close: () => Promise.resolve(),
};

/** What can be done to the process of a server. */
export interface ServerProcess {
  /** Stops reading what the process writes, or reads on. */
  pauseReading(paused: boolean): void;
  /** `Channel.close` no longer waits for a reaction to the end of input: the process gets SIGTERM. */
  hurry(): void;
  /** Ends the process immediately. */
  kill(): void;
}

export interface ChannelEvents {
  /** A message arrived; `about` is the call on whose stream it came, where that can be told. */
  onLine(line: Line, about?: Call): void;
  /** A single request failed while the channel as a whole goes on. */
  onUndeliverable(call: Call, failure: DeliveryFailure): void;
  /** A message above the limit was dropped; `head` and `tail` hold its first and its last bytes. */
  onOversized(head: Buffer, bytes: number, about?: Call, tail?: Buffer): void;
  /**
   * The server had forgotten us and was told again all that it had been told before. What it offers
   * may have changed meanwhile.
   */
  onRenewed(): void;
  /** The channel has ended by itself; said once, never after `close`. `code` is a stable name. */
  onLost(reason: string, code?: string): void;
  /** True while the answer to a call is waited for. */
  isAwaited(call: Call): boolean;
  /** Whether the server wants to be left alone, for all channels to it. */
  readonly respite: RetryAfter;
  /** The input schema a tool was listed with; undefined for a tool that is not known. */
  inputSchemaOf(tool: string): unknown;
}
