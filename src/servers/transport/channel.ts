import type { Call } from "../../calls/call.ts";
import type { DeliveryFailure } from "../../calls/call-errors.ts";
import type { Era } from "../../protocol/client-profile.ts";
import type { Line } from "../../wire/lines.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { Authorization } from "./authorization.ts";
import type { RetryAfter } from "./retry-after.ts";

/** A way to exchange messages with one server: a child process, or HTTP. */
export interface Channel {
  /** Sends one JSON-RPC message; for a request, `call` is what waits for its answer. */
  send(message: string, call?: Call): void;
  /**
   * The caller cancelled the request. True if the channel notifies the server (by closing a
   * stream).
   */
  abandon(call: Call): boolean;
  /** The handshake has chosen an era; called before the first message that follows it. */
  onNegotiated(era: Era, version: string): void;
  /** Whether a server responds even to requests it does not know, as HTTP requires. */
  readonly refusesUnknown: boolean;
  /** Why a tool that the server lists cannot be called over this channel; undefined if it can. */
  reasonUnusable(tool: JsonObject): string | undefined;
  /** Ends the channel and everything it started; safe to call more than once. */
  close(): Promise<void>;
  /** The server's process; undefined for a remote server. */
  readonly process?: ServerProcess;
  readonly pid: number | undefined;
  /** Bytes that the server has not read yet. */
  readonly backlog: number;
  /** The last lines of the server's standard error. */
  stderrTail(count: number): string[];
  /** The source of a tool that is a saved script, by its name. */
  sourceOf?(tool: string): string | undefined;
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

/** Controls the process of a server. */
export interface ServerProcess {
  /** Pauses or resumes reading the output of the process. */
  pauseReading(paused: boolean): void;
  /** `Channel.close` no longer waits for a reaction to the end of input: the process gets SIGTERM. */
  hurry(): void;
  /** Ends the process immediately. */
  kill(): void;
  /** Whether the server itself runs. False while a package manager or Docker may be downloading it. */
  isServerRunning(): Promise<boolean>;
}

export interface ChannelEvents {
  /** A message arrived; `about` is the call on whose stream it came, if known. */
  onLine(line: Line, about?: Call): void;
  /** A single request failed while the channel stays open. */
  onUndeliverable(call: Call, failure: DeliveryFailure): void;
  /** A message above the limit was dropped; `head` and `tail` are its first and last bytes. */
  onOversized(head: Buffer, bytes: number, about?: Call, tail?: Buffer): void;
  /**
   * The server had lost the session and a new one was opened with the same settings. What it offers
   * may have changed in the meantime.
   */
  onRenewed(): void;
  /** The channel ended; called once, never after `close`. `code` is a stable name. */
  onLost(reason: string, code?: string): void;
  /** True while a caller waits for an answer. */
  isAwaited(call: Call): boolean;
  /** Whether the server has asked for a pause, for all channels to it. */
  readonly retryAfter: RetryAfter;
  /** Authorizes requests; undefined if the workbench must not sign in. */
  readonly authorization?: Authorization | undefined;
  /** The input schema a tool was listed with; undefined for an unknown tool. */
  inputSchemaOf(tool: string): unknown;
}
