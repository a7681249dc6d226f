import type { ToolboxSettings } from "../config/types.ts";
import { isWorkbenchError, reasonOf } from "../errors.ts";
import type { Connection } from "../servers/connection.ts";
import { Server } from "../servers/server.ts";

export interface FailedServer {
  readonly server: string;
  readonly reason: string;
}

export interface Opened {
  readonly connected: readonly { readonly server: Server; readonly connection: Connection }[];
  readonly failed: readonly FailedServer[];
}

/** A named group of servers, each with connections of its own. */
export class Toolbox {
  readonly name: string;
  readonly settings: ToolboxSettings;
  readonly servers: ReadonlyMap<string, Server>;

  constructor(
    settings: ToolboxSettings,
    connected: (server: Server, connection: Connection) => void,
  ) {
    this.name = settings.name;
    this.settings = settings;
    this.servers = new Map(
      Array.from(settings.servers, ([name, own]) => {
        const server: Server = new Server(own, (connection) => connected(server, connection));
        return [name, server];
      }),
    );
  }

  /** Connects all servers at once; one that fails does not keep the others from being used. */
  async open(connect: (server: Server) => Promise<Connection>): Promise<Opened> {
    const servers = [...this.servers.values()].filter((server) => !server.settings.disabled);
    const outcomes = await Promise.allSettled(servers.map(connect));
    const connected: { server: Server; connection: Connection }[] = [];
    const failed: FailedServer[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const server = servers[i] as Server;
      if (outcome.status === "fulfilled") connected.push({ server, connection: outcome.value });
      else failed.push({ server: server.name, reason: shortReason(outcome.reason) });
    }
    return { connected, failed };
  }

  async disconnect(): Promise<void> {
    await Promise.all(Array.from(this.servers.values(), (server) => server.disconnect()));
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.servers.values(), (server) => server.close()));
  }
}

/** The reader knows already which server of which toolbox could not be connected. */
function shortReason(error: unknown): string {
  return (isWorkbenchError(error) ? error.reason : undefined) ?? reasonOf(error);
}
