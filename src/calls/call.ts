import type { WorkbenchError } from "../errors.ts";
import type { Era } from "../protocol/client-profile.ts";
import type { IncomingNotification, JsonObject } from "../wire/messages.ts";
import type { Outcome } from "./outcome.ts";
import type { ServerRequest, RequestSource } from "./server-request.ts";
import type { RunningTasks } from "./tasks.ts";

/**
 * The state of a call.
 *
 * - `created`: not on a connection yet; it is being routed, a step holds it, or its server is
 *   being connected.
 * - `queued`: on a connection, and sent when there is a slot.
 * - `sent`: the server works on it.
 * - `returned`: the connection is done with it. A step may still hold it, or the client is being
 *   asked for input that the server needs to continue.
 * - `settled`: it has ended. Nothing happens to it after that.
 */
export type CallState = "created" | "queued" | "sent" | "returned" | "settled";

/** Where a call came from: a client, or the workbench itself, which lists tools, for example. */
export type CallOrigin = "client" | "workbench";

/**
 * The sender of a call. It gets the outcome exactly once, and before that what the server sends.
 */
export interface Caller {
  /** The client this caller acts for; the caller itself if undefined. */
  readonly client?: object | undefined;
  onSettled(call: Call, outcome: Outcome): void;
  onProgress(call: Call, notification: IncomingNotification): void;
  /** The server sends a request while it works on a call of this caller. */
  onServerRequest(serverRequest: ServerRequest, call: Call | undefined): void;
  /** A notification that certainly belongs to this call. */
  onCallNotification?(call: Call, notification: IncomingNotification): void;
  /**
   * A notification that arrived while the server worked on this call; it may belong to another
   * call.
   */
  onNotificationDuringCall?(call: Call, notification: IncomingNotification): void;
}

/** What is needed to call a tool. */
export interface CallableTool {
  /** The server's own name for it, as JSON. */
  readonly nameJson: string;
  /** Its definition, as clients see it. */
  readonly value: JsonObject;
  /** Arguments whose values the configuration fixes. */
  readonly pinned?: JsonObject | undefined;
}

/** Takes calls and sends them to a server. */
export interface CallRegistry {
  /** Registers the call and assigns an id, or returns the reason why not. */
  register(call: Call): WorkbenchError | undefined;
  /** Sends a registered call, immediately or when there is a slot. */
  submit(call: Call, message: string): void;
  /** Cancels the call: the server is notified, and a late response is dropped. */
  cancel(call: Call, reason: unknown): void;
}

/** A connection to a server, as calls see it. */
export interface Route extends RequestSource {
  readonly era: Era;
  readonly tasks: RunningTasks;
  readonly catalogue: { readonly tools: ReadonlyMap<string, CallableTool> };
  readonly calls: CallRegistry;
}

/** One request to a server and its response. Only `settle` may end it. */
export class Call {
  readonly caller: Caller;
  readonly origin: CallOrigin;
  readonly method: string;
  /** The name or URI that the request is about, for messages. */
  subject: string;
  /** The progress token of the caller, as JSON; the server gets the id of the call instead. */
  progressToken: string | undefined;
  state: CallState = "created";
  /** The call's id on its connection; 0 until it is on one. */
  id = 0;
  /** The connection that had it last. */
  route: Route | undefined;
  /** True for a request that stays open for as long as its connection does. */
  isStream = false;
  /** The number of requests from the server that the caller has not answered yet. */
  openRequests = 0;
  /** The number of times the server has asked for input. */
  inputRounds = 0;
  /** Milliseconds on the monotonic clock, set when a connection accepts the call. */
  startedAt = 0;
  deadline = 0;
  totalDeadline = 0;

  constructor(
    caller: Caller,
    origin: CallOrigin,
    method: string,
    subject: string,
    progressToken: string | undefined,
  ) {
    this.caller = caller;
    this.origin = origin;
    this.method = method;
    this.subject = subject;
    this.progressToken = progressToken;
  }

  /** What the call is for, in messages: "tool 'read_file'", "prompts/list". */
  get label(): string {
    if (this.method === "tools/call") return `tool '${this.subject}'`;
    return this.subject === "" ? this.method : `${this.method} '${this.subject}'`;
  }
}
