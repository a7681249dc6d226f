import type { Call } from "../relay/call.ts";
import type { Connection } from "../servers/connection.ts";
import { listenForUpdates } from "../servers/listening.ts";
import type { Server } from "../servers/server.ts";

interface Subscription {
  readonly server: Server;
  readonly uri: string;
  /** The standing request at a modern server. */
  listening: Call | undefined;
}

/** The resources a session wants to hear about, by the URI its client uses. */
export class Subscriptions {
  readonly #byClientUri = new Map<string, Subscription>();

  add(clientUri: string, server: Server, uri: string): void {
    if (!this.#byClientUri.has(clientUri))
      this.#byClientUri.set(clientUri, { server, uri, listening: undefined });
  }

  /** Asks a modern server, which knows no `resources/subscribe`; once on each connection. */
  listen(clientUri: string, connection: Connection): void {
    const subscription = this.#byClientUri.get(clientUri);
    if (subscription === undefined || subscription.listening?.route === connection) return;
    subscription.listening = listenForUpdates(connection, [subscription.uri]);
  }

  remove(clientUri: string): void {
    const subscription = this.#byClientUri.get(clientUri);
    this.#byClientUri.delete(clientUri);
    const call = subscription?.listening;
    call?.route?.cancel(call, "unsubscribed");
  }

  /** The names under which the client subscribed to a resource of a server. */
  namesOf(server: Server, uri: unknown): string[] {
    const names: string[] = [];
    for (const [clientUri, subscription] of this.#byClientUri)
      if (subscription.server === server && subscription.uri === uri) names.push(clientUri);
    return names;
  }

  /** What has to be asked for again when a server was connected anew. */
  of(server: Server): { clientUri: string; uri: string }[] {
    return Array.from(this.#byClientUri)
      .filter(([, subscription]) => subscription.server === server)
      .map(([clientUri, { uri }]) => ({ clientUri, uri }));
  }

  close(): void {
    for (const clientUri of this.#byClientUri.keys()) this.remove(clientUri);
  }
}
