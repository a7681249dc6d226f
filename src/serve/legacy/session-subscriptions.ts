import type { Call } from "../../calls/call.ts";
import { cancel } from "../../calls/settle.ts";
import { workbenchError } from "../../errors.ts";
import { withoutSubscription } from "../../protocol/envelope.ts";
import { ask } from "../../servers/requests/ask.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { listenForUpdates } from "../../servers/handshake/list-changes.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { Server } from "../../servers/server.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { MAX_SUBSCRIPTIONS, hasRoomFor } from "../subscription-limit.ts";
import { nameWithin } from "../surface/resource-uris.ts";

interface Subscription {
  readonly server: Server;
  readonly uri: string;
  /** The open subscription request to a modern server. */
  listening: Call | undefined;
}

/** The resources a session subscribes to, by the client's own URIs. */
export class SessionSubscriptions {
  readonly #client: ServerClient;
  readonly #updated: (params: JsonObject) => void;
  readonly #byClientUri = new Map<string, Subscription>();

  constructor(client: ServerClient, updated: (params: JsonObject) => void) {
    this.#client = client;
    this.#updated = updated;
  }

  /** Adds a subscription. False if the request still has to go to a legacy server. */
  add(clientUri: string, server: Server, uri: string, connection: Connection): boolean {
    const known = this.#byClientUri.get(clientUri);
    if (known === undefined && !hasRoomFor(clientUri, this.#byClientUri.keys()))
      throw workbenchError("TOO_MANY_SUBSCRIPTIONS", { limit: MAX_SUBSCRIPTIONS });
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

  /** Repeats the client's subscriptions on a new connection. */
  renew(server: Server, connection: Connection): void {
    for (const subscription of this.#byClientUri.values()) {
      if (subscription.server !== server) continue;
      connection.clients.keepAliveFor.add(this.#client);
      if (!this.#attach(subscription, connection))
        ask(connection, "resources/subscribe", { uri: subscription.uri }).catch(() => {});
    }
  }

  /** A resource has changed: notifies the client, with the client's own URIs. */
  updated(server: Server, params: JsonObject): void {
    const { uri } = params;
    if (typeof uri !== "string") return;
    for (const [clientUri, subscription] of this.#namesOf(server)) {
      const name = nameWithin(uri, subscription.uri, clientUri);
      if (name !== undefined) this.#updated({ ...withoutSubscription(params), uri: name });
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

function end(subscription: Subscription | undefined): void {
  if (subscription?.listening !== undefined) cancel(subscription.listening, "unsubscribed");
}
