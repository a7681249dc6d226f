import type { ClientCall } from "../../calls/call.ts";
import type { Destination } from "../../calls/destination.ts";
import { type Outcome, refusal } from "../../calls/outcome.ts";
import type { ToolMode, WorkbenchSettings } from "../../config/types.ts";
import { RPC } from "../../errors.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { ListName } from "../../servers/server-memory.ts";
import type { Server } from "../../servers/server.ts";
import { shownName } from "../../text/shown-name.ts";
import type { IncomingRequest, JsonObject, RpcError } from "../../wire/messages.ts";
import type { ListScope, ServerLists } from "../../workbench/server-lists.ts";
import type { ServedClient } from "../served-client.ts";
import type { ResourceAddress } from "./resource-uris.ts";

/** What a client sees of the workbench: everything in its scope, or one server unchanged. */
export interface Surface {
  /**
   * The answer to `initialize` and `server/discover`: capabilities, serverInfo, instructions. With
   * `protocolVersion` if the client sees a single server, which may not speak the client's version.
   */
  hello(client: ServedClient): JsonObject | Promise<JsonObject>;
  /** Finds out where a call goes. */
  route(client: ServedClient, call: ClientCall): Destination | Promise<Destination>;
  /** The resource behind a URI that a client uses. */
  findResource(client: ServedClient, uri: string): Promise<ResourceAddress | RpcError>;
  /** Whether a client's notifications with this method may reach servers. */
  forwards(method: string): boolean;
  /** True if a client sees one server, with all of its messages. */
  readonly isTransparent: boolean;
  onToolsChanged(server: Server, connection: Connection): void;
  /** What is known of a server has changed. */
  onLearned?(): void;
  /** The configuration is about to change what clients see. */
  onSurfaceChanging(): void;
  /** The configuration changed, or servers were replaced and may offer something else. */
  onSurfaceChanged(): void;
}

/** What a client sees of several servers. */
export interface ShownCatalogue {
  readonly listScope: ListScope;
  readonly mode: ToolMode;
  readonly settings: WorkbenchSettings;
  /** Learns a list of servers, as a search does; returns those of which it is still unknown. */
  readonly learn: (servers: readonly Server[], list: ListName) => Promise<readonly Server[]>;
}

/** Finds out where a request goes that concerns the prompts or resources of several servers. */
export type CatalogueRoute = (
  client: ServedClient,
  request: IncomingRequest,
  lists: ServerLists,
  shown: ShownCatalogue,
) => Destination | Promise<Destination>;

export function methodNotFound(method: string): Outcome {
  return refusal(RPC.methodNotFound, `Method not found: ${shownName(method)}`);
}

/** The error for a call that does not name a tool. */
export function nameRequired(): Outcome {
  return refusal(RPC.invalidParams, "name: Required (expected string)");
}
