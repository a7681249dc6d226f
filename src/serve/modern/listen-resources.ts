import type { Call } from "../../calls/call.ts";
import { cancel } from "../../calls/settle.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import { listenForUpdates } from "../../servers/handshake/list-changes.ts";
import { ask } from "../../servers/requests/ask.ts";
import type { Server } from "../../servers/server.ts";
import type { JsonObject, RpcError } from "../../wire/messages.ts";
import type { ServedClient } from "../served-client.ts";
import { MAX_SUBSCRIPTIONS, hasRoomFor } from "../subscription-limit.ts";
import { type ResourceAddress, nameWithin } from "../surface/resource-uris.ts";

export interface ListenResourcesOptions {
  readonly client: ServedClient;
  /** Subscribed at the servers on behalf of the client. */
  readonly subscriber: ServerClient;
  /** The resource behind a URI that the client uses. */
  readonly find: (name: string) => ResourceAddress | RpcError | Promise<ResourceAddress | RpcError>;
  /** A resource is about to be subscribed through this connection. */
  readonly onUsed: (server: Server, connection: Connection) => void;
  readonly onUpdated: (params: JsonObject) => void;
}

/** The resources that a listening client is notified about. */
export class ListenResources {
  readonly #options: ListenResourcesOptions;
  /** The streams at modern servers. */
  readonly #streams: Call[] = [];
  /** The client's names of the resources, by the servers' own. */
  readonly #names = new Map<Server, Map<string, string>>();

  constructor(options: ListenResourcesOptions) {
    this.#options = options;
  }

  /** Subscribes to the resources the client wants; returns those that exist. */
  async subscribe(wanted: readonly unknown[]): Promise<string[]> {
    const { client, find, onUsed } = this.#options;
    const honoured: string[] = [];
    for (const name of wanted.slice(0, MAX_SUBSCRIPTIONS)) {
      if (typeof name !== "string" || !hasRoomFor(name, honoured)) continue;
      const address = await find(name);
      if ("code" in address) continue;
      const { server, uri } = address;
      const connection = await client.connect(server).catch(() => undefined);
      if (connection === undefined) continue;
      const names = this.#names.get(server) ?? new Map<string, string>();
      this.#names.set(server, names.set(uri, name));
      onUsed(server, connection);
      await this.#attach(server, connection, uri);
      honoured.push(name);
    }
    return honoured;
  }

  onConnected(server: Server, connection: Connection): void {
    for (const uri of this.#names.get(server)?.keys() ?? [])
      void this.#attach(server, connection, uri);
  }

  onUpdated(server: Server, params: JsonObject): void {
    for (const [whole, name] of this.#names.get(server) ?? []) {
      const uri = nameWithin(String(params["uri"]), whole, name);
      if (uri !== undefined) this.#options.onUpdated({ ...params, uri });
    }
  }

  close(): void {
    for (const stream of this.#streams) cancel(stream, "unsubscribed");
  }

  async #attach(server: Server, connection: Connection, uri: string): Promise<void> {
    if (connection.hello.era === "modern") {
      const stream = listenForUpdates(connection, uri, ({ params }) =>
        this.onUpdated(server, params),
      );
      this.#streams.push(stream);
      return;
    }
    connection.clients.subscribers.add(uri, this.#options.subscriber);
    await ask(connection, "resources/subscribe", { uri }).catch(() => {});
  }
}
