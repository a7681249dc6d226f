import type { Route } from "./call.ts";
import type { ServerRef, ToolIdentifier } from "./identifier.ts";
import type { Outcome } from "./outcome.ts";

/** A server, as calls see it. */
export interface CallTarget {
  readonly place: ServerRef;
  readonly settings: {
    readonly limits: { readonly concurrency: number; readonly queue: number };
    readonly timeouts: { readonly totalMs: number };
  };
  readonly statistics: { record(ms: number, failed: boolean): void };
  /** The number of calls that wait for it to be connected. */
  waitingForConnection: number;
  /** Resolves when a tool listing in progress has arrived. */
  whenListed(route: Route): Promise<void>;
}

/** Where the tool's arguments are in the request: at the top level, or inside `use_tool`. */
export type ArgumentsAt = "params.arguments" | "params.arguments.arguments";

/** A tool of a server. */
export interface ToolDestination {
  readonly server: CallTarget;
  readonly tool: ToolIdentifier;
  readonly argumentsAt: ArgumentsAt;
  readonly subject?: undefined;
  readonly changes?: undefined;
}

/** A server, for every other method. */
export interface ServerDestination {
  readonly server: CallTarget;
  readonly tool?: undefined;
  /** The name or URI that the request is about, for messages. */
  readonly subject: string;
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
