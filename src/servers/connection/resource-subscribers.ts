import type { ServerClient } from "./server-client.ts";

/**
 * Who wants to hear of which resources of a legacy server. The server knows a connection only, so
 * what one of its clients no longer wants may still be wanted by another.
 */
export class ResourceSubscribers {
  readonly #clients = new Map<string, Set<ServerClient>>();

  add(uri: string, client: ServerClient): void {
    const clients = this.#clients.get(uri) ?? new Set();
    this.#clients.set(uri, clients.add(client));
  }

  /** True if nobody else wants to hear of the resource. */
  remove(uri: string, client: ServerClient): boolean {
    const clients = this.#clients.get(uri);
    clients?.delete(client);
    if (clients !== undefined && clients.size > 0) return false;
    this.#clients.delete(uri);
    return true;
  }

  /** A client has gone; gives the resources that nobody wants to hear of any more. */
  removeClient(client: ServerClient): string[] {
    const left: string[] = [];
    for (const [uri, clients] of this.#clients)
      if (clients.has(client) && this.remove(uri, client)) left.push(uri);
    return left;
  }
}
