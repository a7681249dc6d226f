import type { Era } from "../protocol/client-profile.ts";
import { memberText } from "../wire/members.ts";
import {
  type IncomingRequest,
  type JsonObject,
  isObject,
  writtenId,
  writtenMeta,
} from "../wire/messages.ts";
import { Call, type Caller, type Route } from "./call.ts";
import type { CallTarget, Destination } from "./destination.ts";
import type { Outcome } from "./outcome.ts";
import type { Principal } from "./principal.ts";
import type { TaskPlaces } from "./tasks.ts";

/**
 * One step that every call of a client passes: it may wait, refuse the call, or replace what comes
 * back. `next` runs the steps after it and sends the call; a step calls it at most once.
 */
export type Step = (call: ClientCall, next: () => Promise<Outcome>) => Promise<Outcome>;

/** What the calls of all clients of a workbench share. */
export interface Pipeline {
  readonly steps: readonly Step[];
  readonly tasks: TaskPlaces;
  /** Work on calls whose server has answered; the workbench ends after it. */
  readonly unfinished: Set<Promise<void>>;
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
  /** The connection to a server, if there already is one. */
  connectionTo(server: CallTarget): Route | undefined;
  connect(server: CallTarget): Promise<Route>;
}

/** A call that a client made. */
export class ClientCall extends Call {
  declare readonly caller: CallClient;
  readonly request: IncomingRequest;
  /** The destination; undefined until the call has been routed. */
  destination: Destination | undefined;
  /** Why its client cancelled it; undefined if it did not. */
  cancelled: { readonly reason: unknown } | undefined;
  /** Passes the outcome to the step that waits for it; undefined if no step does. */
  onReturn: ((outcome: Outcome) => void) | undefined;
  #abort: AbortController | undefined;

  constructor(client: CallClient, request: IncomingRequest) {
    super(client, "client", request.method, "", progressTokenOf(request));
    this.request = request;
  }

  get principal(): Principal {
    return this.caller.principal;
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

/** The progress token of the client's request, as JSON, if any. */
export function progressTokenOf(request: IncomingRequest): string | undefined {
  if (request.plain !== undefined) return undefined;
  const meta = request.params["_meta"];
  if (!isObject(meta)) return undefined;
  const token = meta["progressToken"];
  if (typeof token !== "string" && typeof token !== "number") return undefined;
  return writtenId(token, () => memberText(writtenMeta(request), "progressToken"));
}
