import { listAll } from "../../servers/list-all.ts";
import type { ListedItem } from "../../servers/list-reader.ts";
import type { Connection } from "../../servers/connection.ts";
import { OTHER_LISTS, type OtherList, type Remembered } from "../../servers/server-memory.ts";
import type { Server } from "../../servers/server.ts";
import type { Requester } from "../requester.ts";

/** A server that can tell what it has, or of which that is known. */
export interface ReachableServer {
  readonly server: Server;
  readonly connection?: Connection;
  readonly known?: Remembered;
}

/** Whether a client sees what only those servers have that it uses, or what is known of all. */
export type Reach = "open" | "all";

/**
 * The servers whose lists a client sees, in the order of the configuration. What is known from
 * before is as good as asking: it is there at once, and put right when the server is next
 * connected. For a modern client lists may not depend on what was done before, so a server that
 * nothing is known of is connected for it.
 */
export async function reachableServers(
  requester: Requester,
  reach: Reach = "all",
  list?: OtherList,
): Promise<ReachableServer[]> {
  const servers = Array.from(requester.scope.values()).flatMap((toolbox) =>
    [...toolbox.servers.values()].filter(({ settings }) => !settings.disabled),
  );
  const found = await Promise.all(
    servers.map(async (server): Promise<ReachableServer | undefined> => {
      const connection = requester.linked(server);
      if (connection !== undefined) return { server, connection };
      if (reach === "open") return undefined;
      const known = await server.host.memory.recall(server);
      if (known !== undefined && tells(known, list)) return { server, known };
      if (requester.era === "legacy") return undefined;
      return requester.connect(server).then(
        (connected) => ({ server, connection: connected }),
        () => undefined,
      );
    }),
  );
  return found.filter((server) => server !== undefined);
}

/** One kind of thing, listed from all servers that have it; a server that fails is left out. */
export function listAcross(
  servers: readonly ReachableServer[],
  list: OtherList,
): Promise<{ server: Server; items: readonly ListedItem[] }[]> {
  const { method, capability } = OTHER_LISTS[list];
  return Promise.all(
    servers.map(async ({ server, connection, known }) => {
      if (connection === undefined) return { server, items: known?.others.get(list) ?? [] };
      if (!(capability in connection.greeting.capabilities)) return { server, items: [] };
      const items = await listAll(connection, method, list).catch(() => undefined);
      if (items !== undefined) server.host.memory.learnList(server, connection, list, items);
      return { server, items: items ?? [] };
    }),
  );
}

/** Whether what is known of a server says what is in a list of it. */
function tells({ capabilities, others }: Remembered, list: OtherList | undefined): boolean {
  if (list === undefined) return true;
  return others.has(list) || !(OTHER_LISTS[list].capability in capabilities);
}
