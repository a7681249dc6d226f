import type { WorkbenchError } from "../errors.ts";
import type { IncomingRequest, JsonObject, RpcError } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { ServerRef, ToolIdentifier } from "./identifier.ts";
import type { Outcome } from "./outcome.ts";
import type { TargetSignIn } from "./target-sign-in.ts";

/** A server, as calls see it. */
export interface CallTarget {
  readonly place: ServerRef;
  readonly settings: {
    readonly limits: { readonly concurrency: number; readonly queue: number };
    readonly timeouts: { readonly totalMs: number };
    readonly transport?: { readonly kind: string; readonly url?: string };
  };
  readonly statistics: { record(ms: number, failed: boolean): void };
  /** The number of calls that wait for it to be connected. */
  waitingForConnection: number;
  /** Its sign-in; undefined if it can have none. */
  readonly signIn?: TargetSignIn | undefined;
  /** Resolves when a tool listing in progress on this connection has arrived. */
  whenListed(connection: { readonly place: ServerRef }): Promise<void>;
}

/** What is needed to call a tool. */
export interface CallableTool {
  /** Identifies what a call of it runs, if the definition does not. */
  readonly version?: string | undefined;
  /** The server's own name for it, as JSON. */
  readonly nameJson: string;
  /** Its definition, as clients see it. */
  readonly value: JsonObject;
  /** Arguments whose values the configuration fixes. */
  readonly pinned?: JsonObject | undefined;
}

/** Where the tool's arguments are in the request: at the top level, or inside `use_tool`. */
export type ArgumentsAt = "params.arguments" | "params.arguments.arguments";

/** A tool of a server. */
export interface ToolDestination {
  readonly server: CallTarget;
  readonly tool: ToolIdentifier;
  readonly argumentsAt: ArgumentsAt;
  /** Takes a response that reports a failure, and returns what the client gets instead. */
  readonly onFailed?: OnFailed | undefined;
  /** Takes a result of a server with pages. */
  readonly amend?: Amend | undefined;
  /** Whether tools that only pages may use are found, too. */
  readonly reachesAppTools?: boolean | undefined;
  /** Whether a result that is too large for the client may be replaced by a description of it. */
  readonly mayStoreResult?: boolean | undefined;
  /** The client's request with its references to stored results resolved, if it has any. */
  readonly request?: IncomingRequest | undefined;
  /** Why the tool may not be called in this way, depending on its definition. */
  readonly refusal?: ((tool: CallableTool) => WorkbenchError | undefined) | undefined;
  readonly check?: undefined;
  readonly subject?: undefined;
  readonly changes?: undefined;
}

/** A call whose response reports a failure. */
export interface FailedCall {
  readonly request: IncomingRequest;
  readonly tool: CallableTool;
  readonly response: ServerResponse;
}

/** May take time; if it fails, the client gets the response unchanged. */
export type OnFailed = (call: FailedCall) => Promise<ServerResponse>;

/** A call that a server has answered. */
export interface AnsweredCall {
  readonly method: string;
  readonly request: IncomingRequest;
  /** What its client declared. */
  readonly caller: {
    readonly profile?: { readonly client: { readonly capabilities: JsonObject } } | undefined;
  };
  readonly route: CalledRoute | undefined;
}

/** The connection of a call, as far as it is known what its server offers. */
export interface CalledRoute {
  readonly place: ServerRef;
  readonly catalogue: {
    readonly hasUi?: boolean;
    readonly appTools?: { readonly tools: ReadonlyMap<string, unknown> } | undefined;
  };
}

/**
 * What the client gets instead of a response; undefined if it gets the response as it is. May take
 * time; if it fails, the client gets the response as well.
 */
export type Amend = (
  response: ServerResponse,
  call: AnsweredCall,
) => Promise<ServerResponse> | undefined;

/** A server, for every other method. */
export interface ServerDestination {
  readonly server: CallTarget;
  readonly tool?: undefined;
  /** The name or URI that the request is about, for messages. */
  readonly subject: string;
  readonly onFailed?: undefined;
  /** Takes every response. */
  readonly amend?: Amend | undefined;
  /** Why the request may not be sent, depending on what the server offers. */
  readonly check?:
    | ((request: IncomingRequest, route: CalledRoute) => RpcError | undefined)
    | undefined;
  readonly reachesAppTools?: undefined;
  readonly mayStoreResult?: undefined;
  readonly request?: undefined;
  readonly refusal?: undefined;
  /** Parameters whose values differ from what the client wrote, as JSON. */
  readonly changes?: Readonly<Record<string, string | undefined>>;
}

/** A destination on a server. */
export type OnServer = ToolDestination | ServerDestination;

/** The workbench itself: meta-tools, lists of all servers, and refusals. */
export interface LocalDestination {
  readonly server?: undefined;
  readonly answer: () => Outcome | Promise<Outcome>;
}

export type Destination = OnServer | LocalDestination;

/** The destination of a call whose outcome is already known. */
export function answered(outcome: Outcome): LocalDestination {
  return { answer: () => outcome };
}
