import { RPC } from "../errors.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server } from "../servers/server.ts";
import type { IncomingRequest, JsonObject } from "../wire/messages.ts";
import { asWorkbenchError } from "./forward.ts";
import type { Requester } from "./requester.ts";

/** What a client sees behind the workbench: everything in its scope, or one server as it is. */
export interface Surface {
  /** What `initialize` and `server/discover` tell: capabilities, serverInfo, instructions. */
  greeting(requester: Requester): JsonObject | Promise<JsonObject>;
  handle(requester: Requester, request: IncomingRequest): void;
  toolsChanged(server: Server, connection: Connection): void;
  /** The configuration has changed what there is to see. */
  surfaceChanged(): void;
  /** Servers were replaced, and may offer other things than before. */
  serversReplaced?(): void;
}

/** Runs what answers a request later, so that no failure leaves the client without an answer. */
export function answerLater(
  requester: Requester,
  request: IncomingRequest,
  work: Promise<void>,
): void {
  work.catch((error: unknown) => {
    const { rpcCode, text } = asWorkbenchError(error);
    requester.refuse(request, { code: rpcCode, message: text });
  });
}

export function methodNotFound(requester: Requester, request: IncomingRequest): void {
  const message = `Method not found: ${request.method}`;
  requester.refuse(request, { code: RPC.methodNotFound, message });
}
