import type { Call } from "../calls/call.ts";
import { cancel } from "../calls/settle.ts";
import { workbenchError } from "../errors.ts";
import { withoutSubscription } from "../protocol/envelope.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { ServerClient } from "../servers/connection/server-client.ts";
import { listenForUpdates } from "../servers/handshake/list-changes.ts";
import { ask } from "../servers/requests/ask.ts";
import type { Server } from "../servers/server.ts";
import type { JsonObject } from "../wire/messages.ts";
import { nameWithin } from "./surface/resource-uris.ts";

/** The maximum a client may be subscribed to at one time. */
export const MAX_SUBSCRIPTIONS = 1000;
const MAX_SUBSCRIBED_CHARS = 1024 * 1024;

interface Subscription {
  readonly server: Server;
  readonly uri: string;
  /** The open subscription request to a modern server. */
  listening: Call | undefined;
}

/**
 * The resources that a client of either era is subscribed to, by the client's own URIs, at servers of
 * either era.
 */
export class ResourceSubscriptions {
  readonly #client: ServerClient;
  readonly #onUpdated: (params: JsonObject, server: Server) => void;
  readonly #byClientUri = new Map<string, Subscription>();

  /** `client` is subscribed at the servers. */
  constructor(client: ServerClient, onUpdated: (params: JsonObject, server: Server) => void) {
    this.#client = client;
    this.#onUpdated = onUpdated;
  }

  /** Whether the client may subscribe to this resource as well. */
  hasRoomFor(clientUri: string): boolean {
    if (this.#byClientUri.has(clientUri)) return true;
    let chars = clientUri.length;
    for (const other of this.#byClientUri.keys()) chars += other.length;
    return this.#byClientUri.size < MAX_SUBSCRIPTIONS && chars <= MAX_SUBSCRIBED_CHARS;
  }

  /** Adds a subscription. False if the request still has to go to a legacy server. */
  add(clientUri: string, server: Server, uri: string, connection: Connection): boolean {
    if (!this.hasRoomFor(clientUri))
      throw workbenchError("TOO_MANY_SUBSCRIPTIONS", { limit: MAX_SUBSCRIPTIONS });
    const known = this.#byClientUri.get(clientUri);
    const subscription = known ?? { server, uri, listening: undefined };
    this.#byClientUri.set(clientUri, subscription);
    connection.clients.keepAliveFor.add(this.#client);
    return this.#attach(subscription, connection);
  }

  /** Removes a subscription. False as above. */
  remove(clientUri: string, uri: string, connection: Connection): boolean {
    const subscription = this.#byClientUri.get(clientUri);
    this.#byClientUri.delete(clientUri);
    if (subscription !== undefined && this.#namesOf(subscription.server).length === 0)
      connection.clients.keepAliveFor.delete(this.#client);
    if (connection.hello.era === "modern") {
      end(subscription);
      return true;
    }
    return !connection.clients.subscribers.remove(uri, this.#client);
  }

  /** Adds a subscription and sends the request. */
  async subscribe(
    clientUri: string,
    server: Server,
    uri: string,
    connection: Connection,
  ): Promise<void> {
    if (!this.add(clientUri, server, uri, connection)) await requestUpdates(connection, uri);
  }

  /** Repeats the client's subscriptions on a new connection. */
  renew(server: Server, connection: Connection): void {
    for (const subscription of this.#byClientUri.values()) {
      if (subscription.server !== server) continue;
      connection.clients.keepAliveFor.add(this.#client);
      if (!this.#attach(subscription, connection))
        void requestUpdates(connection, subscription.uri);
    }
  }

  /** A resource has changed: notifies the client, with the client's own URIs. */
  updated(server: Server, params: JsonObject): void {
    const { uri } = params;
    if (typeof uri !== "string") return;
    for (const [clientUri, subscription] of this.#namesOf(server)) {
      const name = nameWithin(uri, subscription.uri, clientUri);
      if (name !== undefined)
        this.#onUpdated({ ...withoutSubscription(params), uri: name }, server);
    }
  }

  /** Removes all subscriptions; legacy servers are unsubscribed when the client leaves them. */
  close(): void {
    for (const subscription of this.#byClientUri.values()) end(subscription);
    this.#byClientUri.clear();
  }

  /** Subscribes on a modern server, which has no `resources/subscribe`; false for a legacy one. */
  #attach(subscription: Subscription, connection: Connection): boolean {
    if (connection.hello.era === "legacy") {
      connection.clients.subscribers.add(subscription.uri, this.#client);
      return false;
    }
    if (subscription.listening?.route !== connection)
      subscription.listening = listenForUpdates(connection, subscription.uri, ({ params }) =>
        this.updated(subscription.server, params),
      );
    return true;
  }

  #namesOf(server: Server): [clientUri: string, subscription: Subscription][] {
    return Array.from(this.#byClientUri).filter(([, { server: owner }]) => owner === server);
  }
}

/** Subscribes at a legacy server. One that cannot do that sends no updates. */
async function requestUpdates(connection: Connection, uri: string): Promise<void> {
  await ask(connection, "resources/subscribe", { uri }).catch(() => {});
}

function end(subscription: Subscription | undefined): void {
  if (subscription?.listening !== undefined) cancel(subscription.listening, "unsubscribed");
}
