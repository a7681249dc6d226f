import type { Era } from "../protocol/client-profile.ts";
import type { Connection } from "../servers/connection/connection.ts";
import { listAll } from "../servers/requests/list-all.ts";
import type { ListedItem } from "../servers/requests/list-reader.ts";
import { LIST_METHODS, type OtherList, type CachedServer } from "../servers/server-memory.ts";
import type { Server } from "../servers/server.ts";
import { type Scope, serversIn } from "./scopes.ts";

/** How long a list waits for its servers. The answer contains what has arrived in this time. */
const MAX_WAIT_MS = 5000;

/** Whether a client's lists contain only the servers it uses, or all known ones. */
export type Reach = "open" | "all";

/** What lists need to know about a client. */
export interface ListingClient {
  readonly era: Era;
  readonly scope: Scope;
  connectionTo(server: Server): Connection | undefined;
  connect(server: Server): Promise<Connection>;
}

/** A server that is connected, or whose lists are known. */
export interface ReachableServer {
  readonly connection?: Connection;
  readonly known?: CachedServer;
}

/** The results of several servers, in the order of the configuration. */
export interface Gathered<T> {
  readonly found: readonly { readonly server: Server; readonly value: T }[];
  /** The servers that failed or did not answer in time. */
  readonly missing: readonly { readonly server: Server; readonly reason: string }[];
}

/** Lists that combine those of several servers. No server can hold up the others. */
export class ServerLists {
  /** Listings in progress, so that a slow server is asked only once. */
  readonly #underWay = new WeakMap<Connection, Map<OtherList, Promise<ListedItem[]>>>();
  readonly #maxWaitMs: number;

  constructor(maxWaitMs = MAX_WAIT_MS) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Lists one kind of item from all servers that have it. */
  list(
    client: ListingClient,
    list: OtherList,
    reach: Reach = "all",
  ): Promise<Gathered<readonly ListedItem[]>> {
    return this.#gather(client, async (server) => {
      const reachable = await reachServer(client, server, reach, list);
      return reachable && this.#listOf(server, reachable, list);
    });
  }

  /** The servers a client can use now; for a modern client unknown ones are connected. */
  reachable(client: ListingClient): Promise<Gathered<ReachableServer>> {
    return this.#gather(client, (server) => reachServer(client, server, "all"));
  }

  /** Lists the items of one server. */
  async listServer(
    client: ListingClient,
    server: Server,
    list: OtherList,
  ): Promise<readonly ListedItem[]> {
    const connection = await client.connect(server);
    return this.#listOf(server, { connection }, list);
  }

  async #gather<T>(
    { scope }: ListingClient,
    valueOf: (server: Server) => Promise<T | undefined>,
  ): Promise<Gathered<T>> {
    const found: { server: Server; value: T }[] = [];
    const missing: { server: Server; reason: string }[] = [];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<typeof LATE>((resolve) => {
      timer = setTimeout(resolve, this.#maxWaitMs, LATE);
    });
    const servers = serversIn(scope).filter(({ settings }) => !settings.disabled);
    const values = await Promise.all(
      servers.map((server) =>
        Promise.race([valueOf(server), late]).catch((): typeof FAILED => FAILED),
      ),
    );
    clearTimeout(timer);
    for (const [i, server] of servers.entries()) {
      const value = values[i];
      if (value === LATE)
        missing.push({ server, reason: `no answer within ${this.#maxWaitMs} ms` });
      else if (value === FAILED) missing.push({ server, reason: "it cannot be listed now" });
      else if (value !== undefined) found.push({ server, value });
    }
    return { found, missing };
  }

  async #listOf(
    server: Server,
    { connection, known }: ReachableServer,
    list: OtherList,
  ): Promise<readonly ListedItem[]> {
    if (connection === undefined) return known?.others.get(list) ?? [];
    const { method, capability } = LIST_METHODS[list];
    if (!(capability in connection.hello.capabilities)) return [];
    const lists = this.#underWay.get(connection) ?? new Map<OtherList, Promise<ListedItem[]>>();
    this.#underWay.set(connection, lists);
    const underWay = lists.get(list);
    if (underWay !== undefined) return underWay;
    const listing = listAll(connection, method, list).finally(() => lists.delete(list));
    lists.set(list, listing);
    const items = await listing;
    server.host.memory.learnList(server, connection, list, items);
    return items;
  }
}

const LATE = Symbol("late");
const FAILED = Symbol("failed");

/**
 * How a client reaches a server to list its items; undefined if the server is not part of the list.
 * Known lists are used without asking: they are available at once, and corrected when the server is
 * next connected. Lists for a modern client must not depend on earlier requests, so unknown servers
 * are connected for it.
 */
async function reachServer(
  client: ListingClient,
  server: Server,
  reach: Reach,
  list?: OtherList,
): Promise<ReachableServer | undefined> {
  const connection = client.connectionTo(server);
  if (connection !== undefined) return { connection };
  if (reach === "open") return undefined;
  const known = await server.host.memory.recall(server);
  if (known !== undefined && includesList(known, list)) return { known };
  return client.era === "legacy" ? undefined : { connection: await client.connect(server) };
}

/** Whether this list of a server is known. */
function includesList(
  { capabilities, others }: CachedServer,
  list: OtherList | undefined,
): boolean {
  if (list === undefined) return true;
  return others.has(list) || !(LIST_METHODS[list].capability in capabilities);
}
