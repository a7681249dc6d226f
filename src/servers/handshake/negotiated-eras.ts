import type { Protocol } from "../../config/types.ts";
import type { ClientProfile, Era, Eras } from "../../protocol/client-profile.ts";
import type { Connection } from "../connection/connection.ts";
import type { ServerHello } from "./server-hello.ts";
import { AmbiguousHandshake, negotiate } from "./handshake.ts";

/**
 * The era a server speaks, by the client era that was tried first: found by connections of this
 * run, or by an earlier run. The result of an earlier run is used until it turns out to be wrong.
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

  /** Takes over the result of an earlier run. */
  restore(eras: Eras): void {
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
      return await negotiate(connection, client, protocol, this.get(client.era));
    } catch (error) {
      if (connection.closed || !this.#discardGuess(client.era)) throw error;
      return negotiate(connection, client, protocol, undefined);
    }
  }

  /**
   * Decides whether a server may be started again with a different handshake: the older era if it
   * exited when it received a request of the newer era, the newer era if it received both
   * handshakes.
   */
  shouldRetryWith(client: Era, error: unknown, ended: boolean): boolean {
    if (error instanceof AmbiguousHandshake) {
      this.#found.set(client, "modern");
      return true;
    }
    if (!ended) return false;
    const misled = this.#discardGuess(client);
    if (client === "legacy" || this.#found.has(client)) return misled;
    this.#found.set(client, "legacy");
    return true;
  }

  /** Forgets an era that an earlier run found and that did not work; true if there was one. */
  #discardGuess(client: Era): boolean {
    return this.#unconfirmed.delete(client) && this.#found.delete(client);
  }
}
