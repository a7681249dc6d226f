import { describe, expect, it, vi } from "vitest";

import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { clientProfile } from "../../protocol/client-profile.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { Server } from "../../servers/server.ts";
import type { Toolbox } from "../../toolboxes/toolbox.ts";
import { ClientConnections } from "./client-connections.ts";

const profile = { client: clientProfile("legacy", {}, {}) };
const client = { logLevel: undefined } as ServerClient;

/** A server that connects on command, and records what was released. */
class SlowServer {
  current = new FakeConnection().connection;
  readonly returned: [Connection, boolean][] = [];
  waiting: (() => void)[] = [];

  connect(): Promise<Connection> {
    return new Promise((resolve) => this.waiting.push(() => resolve(this.current)));
  }

  /** Set to an error if callers must not wait for the connection any longer. */
  downloading: Error | undefined;

  unlessDownloading<T>(attempt: Promise<T>): Promise<T> {
    return this.downloading === undefined ? attempt : Promise.reject(this.downloading);
  }

  readonly connections = {
    onClientLeft: async (connection: Connection, wanted: boolean): Promise<void> => {
      this.returned.push([connection, wanted]);
    },
  };

  get asServer(): Server {
    return this as unknown as Server;
  }
}

/** The connections of a client, and whether each new one was the first to its server. */
function connectionsOf(): { connections: ClientConnections; reported: boolean[] } {
  const reported: boolean[] = [];
  const connections = new ClientConnections(client, profile, (_server, _connection, isFirst) =>
    reported.push(isFirst),
  );
  return { connections, reported };
}

async function connected(connections: ClientConnections, server: SlowServer): Promise<Connection> {
  const connecting = connections.connect(server.asServer);
  for (const go of server.waiting.splice(0)) go();
  return connecting;
}

describe("the connections of a session", () => {
  it("are remembered, and reported as new once", async () => {
    const { connections, reported } = connectionsOf();
    const server = new SlowServer();
    for (let i = 0; i < 3; i++) await connected(connections, server);
    expect(reported).toEqual([true]);
    expect(connections.get(server.asServer)).toBe(server.current);
    expect(connections.open).toEqual([{ server, connection: server.current }]);
    expect([...server.current.clients]).toEqual([client]);
  });

  it("are forgotten when they end, and replaced by the next", async () => {
    const { connections, reported } = connectionsOf();
    const server = new SlowServer();
    const first = await connected(connections, server);
    first.input.onLost("gone");
    expect(connections.get(server.asServer)).toBeUndefined();
    expect(connections.open).toEqual([]);
    server.current = new FakeConnection().connection;
    await connected(connections, server);
    expect(reported).toEqual([true, false]);
    expect(connections.get(server.asServer)).toBe(server.current);
  });

  it("are released for good with their toolbox", async () => {
    const { connections } = connectionsOf();
    const server = new SlowServer();
    const toolbox = { servers: new Map([["one", server.asServer]]) } as unknown as Toolbox;
    const connection = await connected(connections, server);
    connection.clients.keepAliveFor.add(client);
    await connections.release(toolbox);
    await connections.release(toolbox);
    expect(server.returned).toEqual([[connection, false]]);
    expect([connection.clients.size, connection.clients.keepAliveFor.size]).toEqual([0, 0]);
    expect(connections.get(server.asServer)).toBeUndefined();
  });

  it("are all released when the client leaves", async () => {
    const { connections } = connectionsOf();
    const servers = [new SlowServer(), new SlowServer()];
    for (const server of servers) await connected(connections, server);
    connections.close();
    for (const server of servers) {
      expect(server.returned).toEqual([[server.current, true]]);
      expect(server.current.clients.size).toBe(0);
    }
    expect(connections.open).toEqual([]);
  });

  it("are kept for the next call if they complete after a caller has given up", async () => {
    const { connections, reported } = connectionsOf();
    const server = new SlowServer();
    server.downloading = new Error("still downloading");
    const connecting = connections.connect(server.asServer);
    await expect(connecting).rejects.toThrow("still downloading");
    for (const go of server.waiting) go();
    await vi.waitFor(() => expect(reported).toEqual([true]), 60_000);
    expect(connections.get(server.asServer)).toBe(server.current);
  });

  it("are released at once if they complete after the client has left", async () => {
    const { connections } = connectionsOf();
    const server = new SlowServer();
    const connecting = connections.connect(server.asServer);
    connections.close();
    for (const go of server.waiting) go();
    await connecting;
    expect(server.returned).toEqual([[server.current, true]]);
    expect(server.current.clients.size).toBe(0);
    expect(connections.open).toEqual([]);
  });
});
