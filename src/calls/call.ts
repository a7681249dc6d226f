import type { WorkbenchError } from "../errors.ts";
import type { Era } from "../protocol/client-profile.ts";
import { memberText } from "../wire/members.ts";
import type { ServerResponse } from "../wire/response.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  isObject,
  writtenId,
  writtenMeta,
} from "../wire/messages.ts";
import type { Decision } from "./decision.ts";
import type {
  ArgumentsAt,
  CallTarget,
  CallableTool,
  Destination,
  OnServer,
} from "./destination.ts";
import type { MoreInput } from "./more-input.ts";
import type { Outcome } from "./outcome.ts";
import type { Principal } from "./principal.ts";
import type { ServerRequest, RequestSource } from "./server-request.ts";
import type { NeededSignIn } from "./sign-in-error.ts";
import type { StoredResults } from "./stored-results.ts";
import type { RunningTasks, TaskPlaces } from "./tasks.ts";
import type { SeenTools, Visibility } from "./visibility.ts";

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
  /** For whom it calls; undefined for the workbench itself. */
  readonly principal?: Principal | undefined;
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

/** Takes calls and sends them to a server. */
export interface CallRegistry {
  /** Registers the call and assigns an id, or returns the reason why not. */
  register(call: Call, hasTimeLimit?: boolean): WorkbenchError | undefined;
  /** Sends a registered call, immediately or when there is a slot. */
  submit(call: Call, message: string): void;
  /** Cancels the call: the server is notified, and a late response is dropped. */
  cancel(call: Call, reason: unknown): void;
}

/** A connection to a server, as calls see it. */
export interface Route extends RequestSource {
  /** How the server describes itself. */
  readonly hello: { readonly era: Era; readonly protocolVersion?: string };
  readonly tasks: RunningTasks;
  readonly catalogue: {
    readonly tools: ReadonlyMap<string, CallableTool>;
    /** Why tools are left out, by name. */
    readonly withheld?: ReadonlyMap<string, string>;
    /** The tools that only pages of the server may use; undefined if there are none. */
    readonly appTools?: SeenTools | undefined;
    /** Whether a tool has a page. */
    readonly hasUi?: boolean;
  };
  readonly calls: CallRegistry;
}

/**
 * The tools among which a call finds its own. Those that only pages may use are found by calls that
 * may come from a page.
 */
export function foundTools(
  { catalogue }: Pick<Route, "catalogue">,
  { tool, reachesAppTools }: OnServer,
): SeenTools {
  const { appTools } = catalogue;
  if (reachesAppTools !== true || tool === undefined || appTools === undefined) return catalogue;
  return catalogue.tools.has(tool.name) ? catalogue : appTools;
}

/**
 * One step that every call of a client passes: it may wait, refuse the call, or replace what comes
 * back. `next` runs the steps after it and sends the call; a step calls it at most once.
 */
export type Step = (call: ClientCall, next: () => Promise<Outcome>) => Promise<Outcome>;

/**
 * Observes every call of a client from its request to its end, including calls that are refused
 * before they reach a step, and calls that are cancelled.
 */
export interface CallObserver {
  onStarted(call: ClientCall): void;
  /** Called exactly once for each call, before the client gets the outcome that is returned. */
  onSettled(call: ClientCall, outcome: Outcome): Outcome;
  /** The response of a server was stored, and the client gets another instead. */
  onReplaced?(call: ClientCall, stored: ServerResponse, given: ServerResponse): void;
}

/** Observes what the calls of clients exchange with servers, and what servers ask clients. */
export interface ExchangeObserver {
  /** A request is about to be sent. Returns `_meta` as it is sent, as JSON. */
  onSending(call: ClientCall, meta: string | undefined): string | undefined;
  /** What was sent has come back, or will not; the call may be sent again. */
  onReturned(call: ClientCall, outcome: Outcome): void;
  /** The client of a call is about to be asked. May change the parameters of the question. */
  onAsking(question: ServerRequest, call: ClientCall): void;
}

/** A session of a client, as observers see it. */
export interface ClientSession {
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number;
  readonly protocolVersion: string | undefined;
}

/** Stores results that are too large for their client, and gives the client a description instead. */
export interface LargeResults {
  /** A result of at most this many bytes is too large for no client. */
  readonly minBytes: number;
  /** Whether anything was ever stored or referred to, so that every request is searched for references. */
  readonly isUsed: boolean;
  /** What the client gets instead of a response; undefined if it takes the response as it is. */
  replace(
    call: ClientCall,
    tool: CallableTool,
    response: ServerResponse,
  ): Promise<ServerResponse> | undefined;
  /**
   * The request with stored results in place of the references in the arguments of its tool; undefined
   * if there are none.
   */
  resolve(
    client: CallClient,
    request: IncomingRequest,
    at: ArgumentsAt,
  ): Promise<IncomingRequest> | undefined;
  /** The results that are stored for a client. */
  of(client: CallClient): StoredResults;
}

/** Learns from results of tools what they return. */
export interface ResultLearner {
  /** The tools from which nothing more is to be learned. */
  readonly done: { has(tool: CallableTool): boolean };
  /** Takes a response of a server to a call of a tool that is not done. */
  take(call: ClientCall, tool: CallableTool, response: ServerResponse): void;
}

/** Numbers the calls of a workbench. */
export class SerialNumbers {
  #last = 0;

  next(): number {
    return ++this.#last;
  }
}

/** What the calls of all clients of a workbench share. */
export interface Pipeline {
  readonly steps: readonly Step[];
  readonly observer?: CallObserver | undefined;
  /** Undefined if no client can run scripts. */
  readonly learner?: ResultLearner | undefined;
  readonly exchanges?: ExchangeObserver | undefined;
  /** Set while something is loaded without which calls cannot be routed. */
  readonly preparing?: Promise<void> | undefined;
  /** What clients may see; undefined if they see everything in their scope. */
  readonly visibility?: Visibility | undefined;
  readonly tasks: TaskPlaces;
  /** Undefined if no result is too large. */
  readonly results?: LargeResults | undefined;
  /** Work on calls whose server has answered; the workbench ends after it. */
  readonly unfinished: Set<Promise<void>>;
  readonly serials: SerialNumbers;
  /**
   * Takes a call that cannot continue before the user has signed in to its server. Returns the
   * outcome of the call, or undefined if the user has signed in and the call can be sent again.
   */
  readonly signIn?: (call: ClientCall, needed: NeededSignIn) => Promise<Outcome | undefined>;
}

/** The client of a call: a session of the legacy era, or one request of the modern era. */
export interface CallClient extends Caller {
  readonly era: Era;
  readonly principal: Principal;
  readonly pipeline: Pipeline;
  /** The owner of the tasks it may see. */
  readonly owner: string;
  /** The envelope for modern servers, unless the request already contains it. */
  readonly envelope: JsonObject | undefined;
  /** The toolboxes it sees, by name. */
  readonly scope?: ReadonlyMap<string, unknown> | undefined;
  /** What it declared that it supports. */
  readonly profile?: {
    readonly client: { readonly capabilities: JsonObject; readonly info?: JsonObject };
    /** What a legacy client negotiated. */
    readonly protocolVersion?: string | undefined;
  };
  /** The connection to a server, if there already is one. */
  connectionTo(server: CallTarget): Route | undefined;
  connect(server: CallTarget): Promise<Route>;
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
  /** What its request was authorized with, if it was. */
  credential: unknown;
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

/** A call that a client made. */
export class ClientCall extends Call {
  declare readonly caller: CallClient;
  /** Only `dispatch` may replace it, before any step has seen it. */
  request: IncomingRequest;
  /** The destination; undefined until the call has been routed. */
  destination: Destination | undefined;
  /** The call that made this one; undefined if a client made it directly. */
  parent: ClientCall | undefined;
  /** What access control decided; undefined if there is no policy. */
  decision: Decision | undefined;
  /** The id of its trace; undefined if it is not traced. */
  traceId: string | undefined;
  /** The input that it was sent with last. */
  input: MoreInput | undefined;
  /** Whether it was sent again because its result asked for other credentials. */
  wasChallenged = false;
  /** The number of times the user was asked to sign in for it. */
  signIns = 0;
  /** Why its client cancelled it; undefined if it did not. */
  cancelled: { readonly reason: unknown } | undefined;
  /** Passes the outcome to the step that waits for it; undefined if no step does. */
  onReturn: ((outcome: Outcome) => void) | undefined;
  #abort: AbortController | undefined;
  #serial = 0;

  constructor(client: CallClient, request: IncomingRequest) {
    super(client, "client", request.method, "", progressTokenOf(request));
    this.request = request;
  }

  get principal(): Principal {
    return this.caller.principal;
  }

  /** What tells it apart from all other calls of the workbench. */
  get serial(): number {
    this.#serial ||= this.caller.pipeline.serials.next();
    return this.#serial;
  }

  /** Aborted when the client cancels the call, for steps that wait. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.cancelled !== undefined) this.#abort.abort(this.cancelled.reason);
    return this.#abort.signal;
  }

  /** Records that the client cancelled the call. Only `cancel` in settle.ts may use it. */
  markCancelled(reason: unknown): void {
    this.cancelled = { reason };
    this.#abort?.abort(reason);
  }
}

/** Not `instanceof`: a bundled chunk may have a copy of the class. */
export function isClientCall(call: Call): call is ClientCall {
  return call.origin === "client";
}

/** Passes a request of a server, or a question of the workbench, to the client of a call. */
export function askCaller(question: ServerRequest, call: Call): void {
  if (isClientCall(call)) call.caller.pipeline.exchanges?.onAsking(question, call);
  call.caller.onServerRequest(question, call);
}

/** The progress token of the client's request, as JSON, if any. */
export function progressTokenOf(request: IncomingRequest): string | undefined {
  if (request.plain !== undefined) return undefined;
  const meta = request.params["_meta"];
  if (!isObject(meta)) return undefined;
  const token = meta["progressToken"];
  if (typeof token !== "string" && typeof token !== "number") return undefined;
  return writtenId(token, () => memberText(writtenMeta(request), "progressToken"));
}
