import type { ServerRequest } from "../../calls/server-request.ts";
import type { Call } from "../../calls/call.ts";
import type { IncomingNotification } from "../../wire/messages.ts";
import type { Connection } from "./connection.ts";
import type { Server } from "../server.ts";

/** A client that uses a connection, as the server behind it reaches it. */
export interface ServerClient {
  /** The tools of the connection are no longer what they were. */
  onToolsChanged(server: Server, connection: Connection): void;
  onNotification(server: Server, connection: Connection, notification: IncomingNotification): void;
  onServerRequest(question: ServerRequest, call: Call | undefined): void;
  /** The log level the client wants, if it said so. */
  readonly logLevel: string | undefined;
}
