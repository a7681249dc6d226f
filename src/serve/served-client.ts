import type { CallClient, ClientCall } from "../calls/call.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { ServerHello } from "../servers/handshake/server-hello.ts";
import type { Server } from "../servers/server.ts";
import type { Scope } from "../workbench/scopes.ts";

/** A call of a connected client. */
export type ServedCall = ClientCall;

/**
 * A connected client: a session of the legacy era, or a single request of the modern era. Its methods take
 * a `Server` where `CallClient` has a `CallTarget`, which TypeScript allows for methods: a call carries only
 * what a surface of this client found in its scope, and that is always a `Server`.
 */
export interface ServedClient extends CallClient {
  /** The toolboxes it sees. */
  readonly scope: Scope;
  connectionTo(server: Server): Connection | undefined;
  /** Rejects if the server is still being downloaded when the time to connect is over. */
  connect(server: Server): Promise<Connection>;
  /** The same, but waits for a download. */
  awaitConnection(server: Server): Promise<Connection>;
  /** How a server describes itself, as soon as it has. */
  helloOf(server: Server): Promise<ServerHello>;
  /** The servers this client can reach without a new connection. */
  readonly open: readonly { readonly server: Server; readonly connection: Connection }[];
}
