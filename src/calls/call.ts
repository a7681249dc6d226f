import type { WorkbenchError } from "../errors.ts";
import type { Era } from "../protocol/client-profile.ts";
import type { IncomingNotification, JsonObject, ProgressToken } from "../wire/messages.ts";
import type { Outcome } from "./outcome.ts";
import type { ServerRequest, RequestSource } from "./server-request.ts";
import type { RunningTasks } from "./tasks.ts";

/**
 * Where a call is on its way.
 *
 * - `created`: not with a connection yet; it is being routed, a step holds it, or its server is
 *   being connected.
 * - `queued`: a connection has it, and will send it when there is a slot.
 * - `sent`: the server works on it.
 * - `returned`: the connection is done with it. A step may still hold it, or the client is asked
 *   for input that the server wants before it goes on.
 * - `settled`: it has ended. Nothing happens to it after that.
 */
export type CallState = "created" | "queued" | "sent" | "returned" | "settled";

/** Where a call came from: a client, or the workbench itself, which lists tools, for example. */
export type CallOrigin = "client" | "workbench";

/** Whoever made a call. It learns how the call ended, once, and what the server sends before. */
export interface Caller {
  /** The client this caller acts for; the caller itself if undefined. */
  readonly client?: object | undefined;
  onSettled(call: Call, outcome: Outcome): void;
  onProgress(call: Call, notification: IncomingNotification): void;
  /** The server sends a request while it works on a call of this caller. */
  onServerRequest(question: ServerRequest, call: Call | undefined): void;
  /** A notification that certainly belongs to this call. */
  onCallNotification?(call: Call, notification: IncomingNotification): void;
  /** A notification that came while the server worked on this call; it may be about another. */
  onNotificationDuringCall?(call: Call, notification: IncomingNotification): void;
}

/** What has to be known of a tool to call it. */
export interface CallableTool {
  /** The server's own name for it, as JSON. */
  readonly nameJson: string;
  /** Arguments whose values the configuration fixes. */
  readonly pinned?: JsonObject | undefined;
}

/** Takes calls and sends them to a server. */
export interface CallRegistry {
  /** Takes the call and gives it an id, or returns the reason why not. */
  register(call: Call): WorkbenchError | undefined;
  /** Sends a registered call, at once or when there is a slot. */
  submit(call: Call, message: string): void;
  /** Takes the call back: the server is notified, and a late response is dropped. */
  cancel(call: Call, reason: unknown): void;
}

/** A connection to a server, as calls see it. */
export interface Route extends RequestSource {
  readonly era: Era;
  readonly tasks: RunningTasks;
  readonly catalogue: { readonly tools: ReadonlyMap<string, CallableTool> };
  readonly calls: CallRegistry;
}

/** One request on its way to a server and back. Settled by `settle` and nothing else. */
export class Call {
  readonly caller: Caller;
  readonly origin: CallOrigin;
  readonly method: string;
  /** The name or URI that the request is about, for messages. */
  subject: string;
  /** The token the caller wants to see on progress; the server sees the id of the call instead. */
  progressToken: ProgressToken | undefined;
  state: CallState = "created";
  /** The id the server knows the call by; 0 until it is with a connection. */
  id = 0;
  /** The connection it was given to last. */
  route: Route | undefined;
  /** True for a request that stays open for as long as its connection does. */
  isStream = false;
  /** How many requests of the server the caller has not answered yet. */
  openRequests = 0;
  /** How often the server has asked for input. */
  inputRounds = 0;
  /** Milliseconds of the monotonic clock, set when a connection takes the call. */
  startedAt = 0;
  deadline = 0;
  totalDeadline = 0;

  constructor(
    caller: Caller,
    origin: CallOrigin,
    method: string,
    subject: string,
    progressToken: ProgressToken | undefined,
  ) {
    this.caller = caller;
    this.origin = origin;
    this.method = method;
    this.subject = subject;
    this.progressToken = progressToken;
  }

  /** What the call is for, in words: "tool 'read_file'", "prompts/list". */
  get label(): string {
    if (this.method === "tools/call") return `tool '${this.subject}'`;
    return this.subject === "" ? this.method : `${this.method} '${this.subject}'`;
  }
}
