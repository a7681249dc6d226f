/** Whose script it is. Several clients may share a principal. */
export interface ScriptOwner {
  readonly principal: string;
  readonly client: string;
}

interface Owned {
  readonly owner: ScriptOwner;
}

/** A queue in which principals take turns, and so do the clients of a principal. */
export class FairQueue<T extends Owned> {
  /** By principal and by client. The first key of a map has the next turn. */
  readonly #principals = new Map<string, Map<string, T[]>>();

  /** Adds an item; with `isFirst`, before the others of its client. */
  add(item: T, isFirst: boolean): void {
    const { principal, client } = item.owner;
    const clients = this.#principals.get(principal) ?? new Map<string, T[]>();
    this.#principals.set(principal, clients);
    const items = clients.get(client) ?? [];
    clients.set(client, items);
    if (isFirst) items.unshift(item);
    else items.push(item);
  }

  /** False if it is not in the queue. */
  remove(item: T): boolean {
    const { principal, client } = item.owner;
    const clients = this.#principals.get(principal);
    const items = clients?.get(client);
    const at = items?.indexOf(item) ?? -1;
    if (clients === undefined || items === undefined || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) clients.delete(client);
    if (clients.size === 0) this.#principals.delete(principal);
    return true;
  }

  /** Takes the next item of a principal that may have one. */
  take(mayHave: (principal: string) => boolean): T | undefined {
    for (const [principal, clients] of this.#principals) {
      if (!mayHave(principal)) continue;
      const [turn] = clients;
      const [client, [item] = []] = turn ?? [];
      if (client === undefined || item === undefined) continue;
      this.remove(item);
      moveToEnd(clients, client);
      moveToEnd(this.#principals, principal);
      return item;
    }
    return undefined;
  }

  /** How many items a client and its principal have. */
  count({ principal, client }: ScriptOwner): { principal: number; client: number } {
    const clients = this.#principals.get(principal);
    let all = 0;
    for (const items of clients?.values() ?? []) all += items.length;
    return { principal: all, client: clients?.get(client)?.length ?? 0 };
  }

  get items(): T[] {
    return [...this.#principals.values()].flatMap((clients) => [...clients.values()].flat());
  }
}

function moveToEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
