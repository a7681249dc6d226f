import type { ClientCall } from "../../calls/call.ts";
import type { Destination } from "../../calls/destination.ts";
import type { ToolMode } from "../../config/types.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import type { ServedClient } from "../served-client.ts";

/** Finds the destination of a call of one meta-tool. */
export type MetaToolRoute = (
  client: ServedClient,
  request: IncomingRequest,
  call: ClientCall,
) => Destination | Promise<Destination>;

/** The tools a client sees, and the destinations of calls to them. */
export interface ToolSurface {
  /** The mode it was made for, even if the configuration has changed since. */
  readonly mode: ToolMode;
  /** The meta-tools that it offers, by name. */
  readonly metaTools: ReadonlyMap<string, MetaToolRoute>;
  list(client: ServedClient): Destination;
  /** Finds the destination of a call of any other tool. */
  call(client: ServedClient, name: string, call: ClientCall): Destination | Promise<Destination>;
  onToolsChanged(server: Server, connection: Connection): void;
  /** What is known of a server has changed. */
  onLearned?(): void;
  /** The configuration is about to change what clients see. */
  onSurfaceChanging(): void;
  /** The configuration changed, or servers were replaced and may offer something else. */
  onSurfaceChanged(): void;
}
