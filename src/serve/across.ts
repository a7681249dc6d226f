import { type ListedItem, askAll } from "../servers/ask.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server } from "../servers/server.ts";
import type { Requester } from "./requester.ts";

export interface OpenServer {
  readonly server: Server;
  readonly connection: Connection;
}

/**
 * The servers whose prompts and resources a client sees. A session sees those it uses; for a modern
 * client lists may not depend on what was done before, so all servers in scope count as open.
 */
export async function openServers(requester: Requester): Promise<readonly OpenServer[]> {
  if (requester.era === "legacy") return requester.open;
  const opened = await Promise.all(
    Array.from(requester.scope.values(), (toolbox) =>
      toolbox.open((server) => requester.connect(server)),
    ),
  );
  return opened.flatMap(({ connected }) => connected);
}

/** One kind of thing, listed from all servers that have it; a server that fails is left out. */
export async function listAcross(
  servers: readonly OpenServer[],
  capability: string,
  method: string,
  key: string,
): Promise<{ server: Server; items: ListedItem[] }[]> {
  const offering = servers.filter(
    ({ connection }) => capability in connection.greeting.capabilities,
  );
  return Promise.all(
    offering.map(async ({ server, connection }) => ({
      server,
      items: await askAll(connection, method, key).catch(() => []),
    })),
  );
}
