import type { ServerClient } from "./server-client.ts";

/**
 * Which clients subscribe to which resources of a legacy server. The server sees only the
 * connection, so it stays subscribed while any client is.
 */
export class ResourceSubscribers {
  readonly #clients = new Map<string, Set<ServerClient>>();

  add(uri: string, client: ServerClient): void {
    const clients = this.#clients.get(uri) ?? new Set();
    this.#clients.set(uri, clients.add(client));
  }

  /** True if no other client subscribes to the resource. */
  remove(uri: string, client: ServerClient): boolean {
    const clients = this.#clients.get(uri);
    clients?.delete(client);
    if (clients !== undefined && clients.size > 0) return false;
    this.#clients.delete(uri);
    return true;
  }

  /** A client has left; returns the resources without subscribers. */
  removeClient(client: ServerClient): string[] {
    const left: string[] = [];
    for (const [uri, clients] of this.#clients)
      if (clients.has(client) && this.remove(uri, client)) left.push(uri);
    return left;
  }
}
