/** A fake client, for code that acts on behalf of one. */
import { type Pipeline, SerialNumbers, type Step } from "../../src/calls/call.ts";
import { STDIO_PRINCIPAL } from "../../src/calls/principal.ts";
import { TaskPlaces } from "../../src/calls/tasks.ts";
import type { Era } from "../../src/protocol/client-profile.ts";
import type { ServedClient } from "../../src/serve/served-client.ts";
import type { Connection } from "../../src/servers/connection/connection.ts";
import type { ServerHello } from "../../src/servers/handshake/server-hello.ts";
import { Server } from "../../src/servers/server.ts";
import { type IncomingRequest, type JsonObject, classify } from "../../src/wire/messages.ts";
import type { Scope } from "../../src/workbench/scopes.ts";
import { FakeCaller, type FakeConnection } from "./fake-connection.ts";

/** A server that is never started, and a fake connection to it. */
export interface FakeServer {
  readonly server: Server;
  readonly fake: FakeConnection;
}

export function fakeServer(fake: FakeConnection): FakeServer {
  return { server: new Server(fake.settings), fake };
}

export class FakeClient extends FakeCaller implements ServedClient {
  readonly owner = "sole";
  readonly era: Era;
  readonly scope: Scope;
  readonly envelope: JsonObject | undefined;
  readonly principal = STDIO_PRINCIPAL;
  readonly pipeline: Pipeline;
  /** Whether the servers are connected already. */
  connected = true;
  /** The result of connecting a server, unless it succeeds. */
  failure: Error | undefined;
  readonly #servers: readonly FakeServer[];

  constructor(
    servers: readonly FakeServer[],
    era: Era = "legacy",
    envelope?: JsonObject,
    steps: readonly Step[] = [],
  ) {
    super();
    this.pipeline = {
      steps,
      tasks: new TaskPlaces(),
      unfinished: new Set(),
      serials: new SerialNumbers(),
    };
    this.#servers = servers;
    this.era = era;
    this.envelope = envelope;
    const scope = new Map<string, { servers: Map<string, Server> }>();
    for (const { server } of servers) {
      const { toolbox } = server.settings;
      const box = scope.get(toolbox) ?? { servers: new Map<string, Server>() };
      box.servers.set(server.name, server);
      scope.set(toolbox, box);
    }
    this.scope = scope as unknown as Scope;
  }

  awaitConnection(server: Server): Promise<Connection> {
    return this.connect(server);
  }

  async helloOf(server: Server): Promise<ServerHello> {
    return (await this.connect(server)).hello;
  }

  get open(): { server: Server; connection: Connection }[] {
    return this.#servers.map(({ server, fake }) => ({ server, connection: fake.connection }));
  }

  connectionTo(server: Server): Connection | undefined {
    return this.connected ? this.#connectionOf(server) : undefined;
  }

  async connect(server: Server): Promise<Connection> {
    if (this.failure !== undefined) throw this.failure;
    return this.#connectionOf(server);
  }

  #connectionOf(server: Server): Connection {
    const known = this.#servers.find((one) => one.server === server);
    if (known === undefined) throw new Error("a server this test does not know");
    return known.fake.connection;
  }
}

/** A request as it comes from a client. */
export function requestIn(text: string): IncomingRequest {
  const incoming = classify(JSON.parse(text), text);
  if (incoming.kind !== "request") throw new Error(`not a request: ${text}`);
  return incoming.request;
}
