import type { Call, Route } from "../../calls/call.ts";
import type { Principal } from "../../calls/principal.ts";
import type { CallTarget } from "../../calls/destination.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import type { IncomingNotification } from "../../wire/messages.ts";

/**
 * A client of a connection, as seen by the server side. Clients may declare `Server` and `Connection` for the
 * parameters, which TypeScript allows for methods: only a `Server` passes these, with its own `Connection`.
 */
export interface ServerClient {
  onToolsChanged(server: CallTarget, connection: Route): void;
  onNotification(server: CallTarget, connection: Route, notification: IncomingNotification): void;
  onServerRequest(question: ServerRequest, call: Call | undefined): void;
  /** For whom it uses the server; undefined if it gets no messages that could belong to a call. */
  readonly principal?: Principal | undefined;
  /** The log level the client has set, if any. */
  readonly logLevel: string | undefined;
}
