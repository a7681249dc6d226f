import type { ServerRef } from "../calls/identifier.ts";
import type { ServerSettings } from "../config/types.ts";
import type { Eras } from "../protocol/client-profile.ts";
import { skillSettings } from "../protocol/skills-extension.ts";
import type { JsonObject } from "../wire/messages.ts";
import type { ServerHello } from "./handshake/server-hello.ts";
import type { AskTarget } from "./requests/ask.ts";
import type { ListedItem } from "./requests/list-reader.ts";
import type { Catalogue } from "./tools/catalogue.ts";

/**
 * The lists of a server besides its tools: their keys in results, and the methods to request them.
 */
export const LIST_METHODS = {
  prompts: { method: "prompts/list", capability: "prompts" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
  skills: { method: "skills/list", capability: "extensions" },
} as const;

export type ListName = keyof typeof LIST_METHODS;

/** Whether a server with these capabilities has a list. */
export function offersList(capabilities: JsonObject, list: ListName): boolean {
  if (list === "skills") return skillSettings(capabilities) !== undefined;
  return LIST_METHODS[list].capability in capabilities;
}

/** What is known about a server, from this run or an earlier one. */
export interface KnownServer {
  readonly eras: Eras;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** All tools, before the configuration is applied. */
  readonly tools: readonly ListedItem[];
  /** The lists that were requested. */
  readonly others: ReadonlyMap<ListName, readonly ListedItem[]>;
}

/** Whether a list of a server is known. */
export function includesList(
  { capabilities, others }: Pick<KnownServer, "capabilities" | "others">,
  list: ListName,
): boolean {
  return others.has(list) || !offersList(capabilities, list);
}

/** What is known about a server, with its tools as the configuration shows them. */
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

/** Keeps what is known about servers while it is useful. */
export interface ServerMemory {
  /** What is known about a server without connecting it. */
  load(server: RememberedServer): Promise<CachedServer | undefined>;
  /** A connection was made, or its tools changed. */
  update(server: RememberedServer, connection: RememberedConnection): void;
  /** Another list arrived on a connection. */
  learnList(
    server: RememberedServer,
    connection: RememberedConnection,
    list: ListName,
    items: readonly ListedItem[],
  ): void;
}

/** Stores nothing. */
export const NO_MEMORY: ServerMemory = {
  load: () => Promise.resolve(undefined),
  update: () => {},
  learnList: () => {},
};
