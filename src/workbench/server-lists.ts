import type { Pipeline } from "../calls/call.ts";
import type { Principal } from "../calls/principal.ts";
import type { Era } from "../protocol/client-profile.ts";
import type { Connection } from "../servers/connection/connection.ts";
import { shownItems } from "../servers/definition-pins.ts";
import { listAll } from "../servers/requests/list-all.ts";
import type { ListedItem } from "../servers/requests/list-reader.ts";
import {
  LIST_METHODS,
  type ListName,
  type CachedServer,
  includesList,
  offersList,
} from "../servers/server-memory.ts";
import type { Server } from "../servers/server.ts";
import { type Gathered, gather } from "./gather.ts";
import { type Scope, enabledServersIn } from "./scopes.ts";

/** Whether a client's lists contain only the servers it uses, or all known ones. */
export type ListScope = "open" | "all";

/** What lists need to know about a client. */
export interface ListingClient {
  readonly era: Era;
  readonly scope: Scope;
  readonly principal: Principal;
  readonly pipeline: Pick<Pipeline, "visibility">;
  connectionTo(server: Server): Connection | undefined;
  connect(server: Server): Promise<Connection>;
}

/** A server that is connected, or whose lists are known. */
export interface ListingServer {
  readonly connection?: Connection;
  readonly known?: CachedServer;
}

/** Lists that are put together from those of several servers. No server can hold up the others. */
export class ServerLists {
  /** Listings in progress, so that a slow server is asked only once. */
  readonly #underWay = new WeakMap<Connection, Map<ListName, Promise<ListedItem[]>>>();

  /** Servers that a list has waited for while they were being connected; the next one does not. */
  readonly #late = new WeakSet<Server>();

  /** Lists one kind of item from all servers that have it. */
  list(
    client: ListingClient,
    list: ListName,
    listScope: ListScope = "all",
  ): Promise<Gathered<readonly ListedItem[]>> {
    const { principal, pipeline } = client;
    return this.#gather(client, async (server) => {
      if (pipeline.visibility?.deniesOthers(principal, server.place)) return undefined;
      const source = await sourceOf(client, server, listScope, list);
      return source && this.#listOf(server, source, list);
    });
  }

  /** The servers a client can use now; for a modern client unknown ones are connected. */
  servers(client: ListingClient): Promise<Gathered<ListingServer>> {
    const { principal, pipeline } = client;
    return this.#gather(client, async (server) =>
      pipeline.visibility?.hides(principal, server.place)
        ? undefined
        : sourceOf(client, server, "all"),
    );
  }

  /** Lists the items of one server. */
  async listServer(
    client: ListingClient,
    server: Server,
    list: ListName,
  ): Promise<readonly ListedItem[]> {
    const connection = await client.connect(server);
    return this.#listOf(server, { connection }, list);
  }

  async #gather<T>(
    client: ListingClient,
    valueOf: (server: Server) => Promise<T | undefined>,
  ): Promise<Gathered<T>> {
    const pending = new Set<Server>();
    const valueOrEnd = async (server: Server): Promise<T | undefined> => {
      pending.add(server);
      try {
        return await valueOf(server);
      } finally {
        pending.delete(server);
        this.#late.delete(server);
      }
    };
    const servers = enabledServersIn(client.scope);
    const isLate = (server: Server): boolean => this.#late.has(server);
    const gathered = await gather(servers, valueOrEnd, undefined, isLate);
    for (const server of pending)
      if (client.connectionTo(server) === undefined) this.#late.add(server);
    return gathered;
  }

  async #listOf(
    server: Server,
    { connection, known }: ListingServer,
    list: ListName,
  ): Promise<readonly ListedItem[]> {
    if (connection === undefined) return known?.others.get(list) ?? [];
    const { method } = LIST_METHODS[list];
    if (!offersList(connection.hello.capabilities, list)) return [];
    const lists = this.#underWay.get(connection) ?? new Map<ListName, Promise<ListedItem[]>>();
    this.#underWay.set(connection, lists);
    const underWay = lists.get(list);
    const shown = (items: readonly ListedItem[]): readonly ListedItem[] =>
      shownItems(server.host.pins, server.place, list, items);
    if (underWay !== undefined) return shown(await underWay);
    const listing = listAll(connection, method, list).finally(() => lists.delete(list));
    lists.set(list, listing);
    const items = await listing;
    server.host.memory.learnList(server, connection, list, items);
    return shown(items);
  }
}

/**
 * Where the items of a server are read for a client; undefined if the server is not part of the list.
 * Known lists are used without asking: they are available at once, and corrected when the server is
 * next connected. Lists for a modern client must not depend on earlier requests, so unknown servers
 * are connected for it.
 */
async function sourceOf(
  client: ListingClient,
  server: Server,
  listScope: ListScope,
  list?: ListName,
): Promise<ListingServer | undefined> {
  const connection = client.connectionTo(server);
  if (connection !== undefined) return { connection };
  if (listScope === "open") return undefined;
  const known = await server.host.memory.load(server);
  if (known !== undefined && (list === undefined || includesList(known, list))) return { known };
  return client.era === "legacy" ? undefined : { connection: await client.connect(server) };
}
