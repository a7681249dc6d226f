import type { Era } from "../protocol/client-profile.ts";
import type { JsonObject } from "../wire/messages.ts";
import type { ListedItem } from "./requests/list-reader.ts";
import type { Catalogue } from "./tools/catalogue.ts";
import type { Connection } from "./connection/connection.ts";
import type { Server } from "./server.ts";

/** The era a server speaks, by the client era that was tried first. */
export type Eras = ReadonlyMap<Era, Era>;

/** The lists of a server besides its tools: their keys in results and their methods. */
export const LIST_METHODS = {
  prompts: { method: "prompts/list", capability: "prompts" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
} as const;

export type OtherList = keyof typeof LIST_METHODS;

/** What is known about a server, from this run or an earlier one. */
export interface KnownServer {
  readonly eras: Eras;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** All tools, before the configuration is applied. */
  readonly tools: readonly ListedItem[];
  /** The lists that were requested. */
  readonly others: ReadonlyMap<OtherList, readonly ListedItem[]>;
}

/** What is known about a server, with its tools as the configuration shows them. */
export interface CachedServer extends KnownServer {
  readonly catalogue: Catalogue;
}

/** Keeps what is known about servers while it is useful. */
export interface ServerMemory {
  /** What is known about a server without connecting it. */
  recall(server: Server): Promise<CachedServer | undefined>;
  /** A connection was made, or its tools changed. */
  learn(server: Server, connection: Connection): void;
  /** Another list arrived on a connection. */
  learnList(
    server: Server,
    connection: Connection,
    list: OtherList,
    items: readonly ListedItem[],
  ): void;
}

/** Stores nothing. */
export const NO_MEMORY: ServerMemory = {
  recall: () => Promise.resolve(undefined),
  learn: () => {},
  learnList: () => {},
};
