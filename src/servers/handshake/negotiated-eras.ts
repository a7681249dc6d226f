import type { Protocol } from "../../config/types.ts";
import type { ClientProfile, Era } from "../../protocol/client-profile.ts";
import type { Connection } from "../connection/connection.ts";
import type { ServerHello } from "./server-hello.ts";
import { GreetedTwice, greet } from "./handshake.ts";
import type { Eras } from "../server-memory.ts";

/**
 * Which era a server speaks, by the era of the client that was tried first: found by connections of
 * this run, or by an earlier run. What an earlier run found is believed until it turns out wrong.
 */
export class NegotiatedEras {
  readonly #found = new Map<Era, Era>();
  readonly #unconfirmed = new Set<Era>();

  get all(): Eras {
    return this.#found;
  }

  get(client: Era): Era | undefined {
    return this.#found.get(client);
  }

  set(client: Era, server: Era): void {
    this.#found.set(client, server);
    this.#unconfirmed.delete(client);
  }

  /** Takes over what an earlier run found. */
  recall(eras: Eras): void {
    for (const [client, server] of eras) {
      if (this.#found.has(client)) continue;
      this.#found.set(client, server);
      this.#unconfirmed.add(client);
    }
  }

  clear(): void {
    this.#found.clear();
    this.#unconfirmed.clear();
  }

  async negotiate(
    connection: Connection,
    client: ClientProfile,
    protocol: Protocol,
  ): Promise<ServerHello> {
    try {
      return await greet(connection, client, protocol, this.get(client.era));
    } catch (error) {
      if (connection.closed || !this.#doubt(client.era)) throw error;
      return greet(connection, client, protocol, undefined);
    }
  }

  /**
   * Tells whether a server may be started again and greeted in another way: one that ended when it
   * heard of a later protocol in the older one, one that heard both greetings in the later.
   */
  shouldRetryWith(client: Era, error: unknown, ended: boolean): boolean {
    if (error instanceof GreetedTwice) {
      this.#found.set(client, "modern");
      return true;
    }
    if (!ended) return false;
    const misled = this.#doubt(client);
    if (client === "legacy" || this.#found.has(client)) return misled;
    this.#found.set(client, "legacy");
    return true;
  }

  /** Forgets a verdict that did not help, if it is an earlier run's; true if there was one. */
  #doubt(client: Era): boolean {
    return this.#unconfirmed.delete(client) && this.#found.delete(client);
  }
}
