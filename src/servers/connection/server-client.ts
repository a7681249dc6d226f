import type { ServerRequest } from "../../calls/server-request.ts";
import type { Call } from "../../calls/call.ts";
import type { IncomingNotification } from "../../wire/messages.ts";
import type { Connection } from "./connection.ts";
import type { Server } from "../server.ts";

/** A client of a connection, as seen by the server side. */
export interface ServerClient {
  /** The tools of the connection changed. */
  onToolsChanged(server: Server, connection: Connection): void;
  onNotification(server: Server, connection: Connection, notification: IncomingNotification): void;
  onServerRequest(question: ServerRequest, call: Call | undefined): void;
  /** The log level the client has set, if any. */
  readonly logLevel: string | undefined;
}
