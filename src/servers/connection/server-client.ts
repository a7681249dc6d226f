import type { Call, Route } from "../../calls/call.ts";
import type { CallTarget } from "../../calls/destination.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import type { IncomingNotification } from "../../wire/messages.ts";

/** A client that uses a connection, as the server behind it reaches it. */
export interface ServerClient {
  /** The tools of the connection are no longer what they were. */
  onToolsChanged(server: CallTarget, connection: Route): void;
  onNotification(server: CallTarget, connection: Route, notification: IncomingNotification): void;
  onServerRequest(question: ServerRequest, call: Call | undefined): void;
  /** The log level the client wants, if it said so. */
  readonly logLevel: string | undefined;
}
