import { shortReasonOf } from "../../errors.ts";
import { codeOf } from "../../text/error-code.ts";
import type { Connection } from "../connection/connection.ts";
import type { ConnectedServer } from "../connection/connection-owner.ts";
import { Refresher } from "../refresher.ts";
import { Slices } from "../slices.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { listTools } from "./list-tools.ts";

/** Keeps the catalogue of a connection up to date with what its server lists. */
export class ToolListing {
  readonly #server: ConnectedServer;
  readonly #connection: Connection;
  readonly #refresher = new Refresher(() => this.#readAgain());

  constructor(server: ConnectedServer, connection: Connection) {
    this.#server = server;
    this.#connection = connection;
  }

  /** Resolves when a listing that was requested or is under way has arrived. */
  get settled(): Promise<void> {
    return this.#refresher.settled;
  }

  /** Reads the list for the first time. */
  async read(): Promise<void> {
    this.#connection.catalogue = await this.#list(new Slices());
  }

  /** The list may have changed: it is read again soon. */
  refresh(): void {
    this.#refresher.request();
  }

  /** The settings have changed: they are applied to what the server listed last. */
  applySettings(): void {
    const { rawTools } = this.#connection.catalogue;
    this.#connection.catalogue = catalogueOf(rawTools, this.#server.settings);
    this.#server.host.memory.learn(this.#server, this.#connection);
    this.refresh();
  }

  async #list(slices: Slices): Promise<Catalogue> {
    const { settings, host } = this.#server;
    const listed = await listTools(this.#connection, settings, host.log, slices);
    slices.begin();
    // The settings may have changed since the server was asked.
    return catalogueOf(listed, this.#server.settings);
  }

  /** Returns how many milliseconds that took, without the time the server took. */
  async #readAgain(): Promise<number> {
    const connection = this.#connection;
    const slices = new Slices();
    try {
      const next = await this.#list(slices);
      if (next.fingerprint === connection.catalogue.fingerprint) return slices.spentMs;
      connection.catalogue = next;
      this.#server.host.memory.learn(this.#server, connection);
      for (const client of connection.clients) client.onToolsChanged(this.#server, connection);
    } catch (error) {
      // The old list stays. If the connection is lost, that is reported elsewhere.
      this.#server.failures.noted(shortReasonOf(error), codeOf(error));
    }
    return slices.spentMs;
  }
}
