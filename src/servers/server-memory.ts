import type { ServerRef } from "../calls/identifier.ts";
import type { ServerSettings } from "../config/types.ts";
import type { Era } from "../protocol/client-profile.ts";
import type { JsonObject } from "../wire/messages.ts";
import type { ServerHello } from "./handshake/server-hello.ts";
import type { AskTarget } from "./requests/ask.ts";
import type { ListedItem } from "./requests/list-reader.ts";
import type { Catalogue } from "./tools/catalogue.ts";

/** The era a server answers in, by the era of the client that was tried first. */
export type Eras = ReadonlyMap<Era, Era>;

/** The lists of a server besides its tools, by their keys in the answers, with how to ask for them. */
export const LIST_METHODS = {
  prompts: { method: "prompts/list", capability: "prompts" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
} as const;

export type OtherList = keyof typeof LIST_METHODS;

/** What a server has shown of itself, now or in an earlier run. */
export interface KnownServer {
  readonly eras: Eras;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** All of them, whatever the configuration makes of them. */
  readonly tools: readonly ListedItem[];
  /** Those that were asked for. */
  readonly others: ReadonlyMap<OtherList, readonly ListedItem[]>;
}

/** What is known of a server, with its tools as the configuration shows them. */
export interface CachedServer extends KnownServer {
  readonly catalogue: Catalogue;
}

/** A server, as its memory needs it. */
export interface RememberedServer {
  readonly settings: ServerSettings;
  readonly eras: Eras;
}

/** A connection over which a server shows itself; it can be asked for further lists. */
export interface RememberedConnection extends AskTarget {
  readonly place: ServerRef;
  readonly closed: boolean;
  readonly hello: ServerHello;
  readonly catalogue: Catalogue;
}

/** Keeps what servers show of themselves for as long as it is of use. */
export interface ServerMemory {
  /** What is known of a server without connecting it. */
  recall(server: RememberedServer): Promise<CachedServer | undefined>;
  /** A connection was made, or its tools are others than before. */
  learn(server: RememberedServer, connection: RememberedConnection): void;
  /** Another list has arrived on a connection. */
  learnList(
    server: RememberedServer,
    connection: RememberedConnection,
    list: OtherList,
    items: readonly ListedItem[],
  ): void;
}

/** Remembers nothing. */
export const NO_MEMORY: ServerMemory = {
  recall: () => Promise.resolve(undefined),
  learn: () => {},
  learnList: () => {},
};
