import { describe, expect, it } from "vitest";

import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { clientProfile } from "../../protocol/client-profile.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { Server } from "../../servers/server.ts";
import { ClientConnections } from "./client-connections.ts";

const profile = clientProfile("legacy", {}, {});
const client = { logLevel: undefined } as ServerClient;

/** A server that connects on command, and records what was released. */
class SlowServer {
  current = new FakeConnection().connection;
  readonly returned: [Connection, boolean][] = [];
  waiting: (() => void)[] = [];

  connect(): Promise<Connection> {
    return new Promise((resolve) => this.waiting.push(() => resolve(this.current)));
  }

  async onClientLeft(connection: Connection, wanted: boolean): Promise<void> {
    this.returned.push([connection, wanted]);
  }

  get asServer(): Server {
    return this as unknown as Server;
  }
}

async function connected(
  links: ClientConnections,
  server: SlowServer,
  fresh?: () => void,
): Promise<Connection> {
  const connecting = links.connect(server.asServer, profile, fresh);
  for (const go of server.waiting.splice(0)) go();
  return connecting;
}

describe("the connections of a session", () => {
  it("are remembered, and reported as new once", async () => {
    const links = new ClientConnections(client);
    const server = new SlowServer();
    let fresh = 0;
    for (let i = 0; i < 3; i++) await connected(links, server, () => void fresh++);
    expect(fresh).toBe(1);
    expect(links.get(server.asServer)).toBe(server.current);
    expect(links.open).toEqual([{ server, connection: server.current }]);
    expect([...server.current.clients]).toEqual([client]);
  });

  it("are forgotten when they end, and replaced by the next", async () => {
    const links = new ClientConnections(client);
    const server = new SlowServer();
    const first = await connected(links, server);
    first.onLost("gone");
    expect(links.get(server.asServer)).toBeUndefined();
    expect(links.open).toEqual([]);
    server.current = new FakeConnection().connection;
    let fresh = 0;
    await connected(links, server, () => void fresh++);
    expect([fresh, links.get(server.asServer)]).toEqual([1, server.current]);
  });

  it("are released for good when they are dropped", async () => {
    const links = new ClientConnections(client);
    const server = new SlowServer();
    const connection = await connected(links, server);
    connection.keepAliveFor.add(client);
    await links.drop(server.asServer);
    await links.drop(server.asServer);
    expect(server.returned).toEqual([[connection, false]]);
    expect([connection.clients.size, connection.keepAliveFor.size]).toEqual([0, 0]);
    expect(links.get(server.asServer)).toBeUndefined();
  });

  it("are all released when the client leaves", async () => {
    const links = new ClientConnections(client);
    const servers = [new SlowServer(), new SlowServer()];
    for (const server of servers) await connected(links, server);
    links.release();
    for (const server of servers) {
      expect(server.returned).toEqual([[server.current, true]]);
      expect(server.current.clients.size).toBe(0);
    }
    expect(links.open).toEqual([]);
  });

  it("are released at once if they complete after the client has left", async () => {
    const links = new ClientConnections(client);
    const server = new SlowServer();
    const connecting = links.connect(server.asServer, profile);
    links.release();
    for (const go of server.waiting) go();
    await connecting;
    expect(server.returned).toEqual([[server.current, true]]);
    expect(server.current.clients.size).toBe(0);
    expect(links.open).toEqual([]);
  });
});
