import type { Destination } from "../../calls/destination.ts";
import type { ToolMode } from "../../config/types.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import type { ServedClient } from "../served-client.ts";

/** The tools a client sees, and what calling them means. */
export interface ToolSurface {
  /** The mode it was made for, whatever the configuration says by now. */
  readonly mode: ToolMode;
  list(client: ServedClient): Destination;
  call(client: ServedClient, request: IncomingRequest): Destination | Promise<Destination>;
  /** The tools of a server have changed. */
  onToolsChanged(server: Server, connection: Connection): void;
  /** The configuration is about to change what clients see. */
  onSurfaceChanging(): void;
  /** It has, or servers were replaced and may offer other things than before. */
  onSurfaceChanged(): void;
}
