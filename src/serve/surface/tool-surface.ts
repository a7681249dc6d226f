import type { ToolMode } from "../../config/types.ts";
import type { Connection } from "../../servers/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import type { Requester } from "../requester.ts";

/** The tools a client sees, and what calling them means. */
export interface ToolSurface {
  /** The mode it was made for, whatever the configuration says by now. */
  readonly mode: ToolMode;
  list(requester: Requester, request: IncomingRequest): void;
  call(requester: Requester, request: IncomingRequest): void;
  /** The tools of a server are no longer what they were. */
  toolsChanged(server: Server, connection: Connection): void;
  /** The configuration is about to change what there is to see. */
  surfaceChanging(): void;
  /** It has, or servers were replaced and may offer other things than before. */
  surfaceChanged(): void;
}
