import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { JsonObject } from "../../wire/messages.ts";

/** Where what a listening client is told comes from. */
export interface ListenSource {
  /** Begins to listen; gives the part of the client's filter that will be honoured. */
  start(): Promise<JsonObject>;
  /** A server was connected. */
  onConnected(server: Server, connection: Connection): void;
  /** The configuration has changed what there is to see. */
  onSurfaceChanged(): void;
  close(): void;
}

/** The listening client, as its source reaches it. */
export interface ListenTarget {
  tell(method: string, params: JsonObject): void;
  /** Nothing more will be told. */
  end(): void;
}

/** What a filter calls the changes of the lists. */
export const LIST_FILTERS: Readonly<Record<string, { filter: string; capability: string }>> = {
  "notifications/tools/list_changed": { filter: "toolsListChanged", capability: "tools" },
  "notifications/prompts/list_changed": { filter: "promptsListChanged", capability: "prompts" },
  "notifications/resources/list_changed": {
    filter: "resourcesListChanged",
    capability: "resources",
  },
};
