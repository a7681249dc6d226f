import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import type { Principal } from "../../calls/principal.ts";
import type { WorkbenchError } from "../../errors.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { ClientHttpSession, SessionIdentity } from "./client-http-session.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Body } from "./request-body.ts";
import type { SessionState } from "./session-record.ts";
import type { StreamsState } from "./streams-state.ts";

/** A session that another replica had. */
export interface ContinuedSession extends SessionIdentity {
  /** The parameters of its `initialize`. */
  readonly declared: JsonObject;
  readonly state: SessionState;
  readonly streams: StreamsState | undefined;
}

/** A request of a session, before it is known which replica handles it. */
export interface PlacedRequest {
  readonly principal: Principal;
  readonly endpoint: Endpoint;
  readonly request: IncomingMessage;
  readonly response: HttpResponse;
  /** Continues a session here; rejects if that fails. */
  restore(session: ContinuedSession): Promise<ClientHttpSession>;
  /** Reads its body; undefined if the client got an error instead. */
  readBody(): Promise<Buffer | undefined>;
  /** Handles the request here; with its body, if that was read. */
  here(body?: Buffer): void;
}

/** A request of a modern client, which any replica can handle unless it is about something that another one has. */
export interface ModernPlaced {
  readonly request: IncomingMessage;
  readonly response: HttpResponse;
  readonly bytes: Buffer;
  readonly body: Body;
  /** Handles the request here. */
  here(): void;
}

/** Which replica has which session, if there are several. */
export interface Placement {
  /** Whether this replica is about to end. */
  readonly isDraining: boolean;
  /** True for a request that another replica has sent; `answer` then says whether it was a question, and is answered. */
  isFromReplica(request: IncomingMessage): boolean;
  answer(request: IncomingMessage, response: HttpResponse): boolean;
  /** The id of a new session, or why there is none. */
  identify(endpoint: Endpoint, declared: JsonObject): SessionIdentity | WorkbenchError;
  onStarted(session: ClientHttpSession, end: () => void): void;
  onChanged(session: ClientHttpSession): void;
  onEnded(session: ClientHttpSession): void;
  /** Has a request handled where its session is. */
  place(request: PlacedRequest): void;
  /** Has a modern request handled elsewhere; false if that is not necessary. */
  placeModern(request: ModernPlaced): boolean;
}
