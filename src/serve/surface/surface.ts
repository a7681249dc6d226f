import { RPC } from "../../errors.ts";
import type { Connection } from "../../servers/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingRequest, JsonObject, RpcError } from "../../wire/messages.ts";
import { asWorkbenchError } from "../forward.ts";
import type { Requester } from "../requester.ts";
import type { ResourceAddress } from "./resource-uris.ts";

/** What a client sees behind the workbench: everything in its scope, or one server as it is. */
export interface Surface {
  /** What `initialize` and `server/discover` tell: capabilities, serverInfo, instructions. */
  greeting(requester: Requester): JsonObject | Promise<JsonObject>;
  handle(requester: Requester, request: IncomingRequest): void;
  /** The resource behind a URI that a client uses. */
  findResource(requester: Requester, uri: string): Promise<ResourceAddress | RpcError>;
  /** Whether what a client notifies of by this method may reach servers. */
  handsOn(method: string): boolean;
  /** True if a client sees one server, with everything that passes between the two. */
  readonly isTransparent: boolean;
  toolsChanged(server: Server, connection: Connection): void;
  /** The configuration is about to change what there is to see. */
  surfaceChanging(): void;
  /** It has, or servers were replaced and may offer other things than before. */
  surfaceChanged(): void;
}

/** Runs what answers a request later, so that no failure leaves the client without an answer. */
export function answerLater(
  requester: Requester,
  request: IncomingRequest,
  work: Promise<void>,
): void {
  work.catch((error: unknown) => {
    requester.refuse(request, asWorkbenchError(error).rpcError);
  });
}

export function methodNotFound(requester: Requester, request: IncomingRequest): void {
  const message = `Method not found: ${request.method}`;
  requester.refuse(request, { code: RPC.methodNotFound, message });
}

/** Whether a call names a tool; if it does not, that is answered. */
export function namesTool(requester: Requester, request: IncomingRequest): boolean {
  if (request.plain !== undefined || typeof request.params["name"] === "string") return true;
  const message = "name: Required (expected string)";
  requester.refuse(request, { code: RPC.invalidParams, message });
  return false;
}
