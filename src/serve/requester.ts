import type { WorkbenchError } from "../errors.ts";
import type { Call, Caller } from "../relay/call.ts";
import type { Era } from "../relay/client-profile.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server } from "../servers/server.ts";
import type { IncomingRequest, JsonObject, RpcError } from "../wire/messages.ts";
import type { Scope } from "../workbench/scopes.ts";

/** Whoever a request came from: a session of the legacy era, or a single request of the modern one. */
export interface Requester extends Caller {
  readonly era: Era;
  readonly scope: Scope;
  /** Whose tasks it may see. */
  readonly owner: string;
  /** What a modern server is told about the client, unless the request says it itself. */
  readonly envelope: JsonObject | undefined;
  /** The connection to a server if there is one already. */
  linked(server: Server): Connection | undefined;
  connect(server: Server): Promise<Connection>;
  /** The servers this client can reach without connecting any. */
  readonly open: readonly { readonly server: Server; readonly connection: Connection }[];
  /** Remembers a call until it is answered, so that it can be cancelled. */
  track(call: Call): void;
  reply(request: IncomingRequest, result: JsonObject): void;
  /** Answers with a result object that is JSON text already. */
  replyText(request: IncomingRequest, result: string): void;
  /** Answers a tool call with an error that the agent can read and act on. */
  toolError(request: IncomingRequest, error: WorkbenchError): void;
  refuse(request: IncomingRequest, error: RpcError): void;
}
