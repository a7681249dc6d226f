import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { JsonObject } from "../../wire/messages.ts";

/** The source of the notifications for a listening client. */
export interface ListenSource {
  /** Starts to listen; returns the part of the client's filter that will be honoured. */
  start(): Promise<JsonObject>;
  onConnected(server: Server, connection: Connection): void;
  /** What is known of a server has changed. */
  onLearned?(): void;
  /** The configuration changed what clients see. */
  onSurfaceChanged(): void;
  close(): void;
}

/** The listening client, for its source. */
export interface ListenTarget {
  notify(method: string, params: JsonObject): void;
  /** There will be no more notifications. */
  end(): void;
}

/** The names of list changes in a filter. */
export const LIST_FILTERS: Readonly<Record<string, { filter: string; capability: string }>> = {
  "notifications/tools/list_changed": { filter: "toolsListChanged", capability: "tools" },
  "notifications/prompts/list_changed": { filter: "promptsListChanged", capability: "prompts" },
  "notifications/resources/list_changed": {
    filter: "resourcesListChanged",
    capability: "resources",
  },
};
