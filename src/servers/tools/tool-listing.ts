import { neededSignIn } from "../../calls/sign-in-error.ts";
import { shortReasonOf } from "../../errors.ts";
import { codeOf } from "../../text/error-code.ts";
import type { ServerSettings } from "../../config/types.ts";
import type { Connection } from "../connection/connection.ts";
import type { ConnectedServer } from "../connection/connection-owner.ts";
import { approvedHello, ownInstructions } from "../handshake/server-hello.ts";
import { Refresher } from "../refresher.ts";
import { Slices } from "../slices.ts";
import type { ListedItem } from "../requests/list-reader.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { listTools } from "./list-tools.ts";

/** Keeps the catalogue of a connection up to date with what its server lists. */
export class ToolListing {
  readonly #server: ConnectedServer;
  readonly #connection: Connection;
  #retry: Promise<unknown> | undefined;
  /** The limits that applied when the server listed its tools. */
  #limits: ServerSettings["limits"] | undefined;
  readonly #refresher = new Refresher(() => this.#readAgain());

  constructor(server: ConnectedServer, connection: Connection) {
    this.#server = server;
    this.#connection = connection;
  }

  /** Resolves when a listing that was requested or is under way has arrived. */
  get settled(): Promise<void> {
    return this.#refresher.settled;
  }

  /**
   * Reads the list for the first time. A server that cannot list its tools may still have prompts
   * and resources, so it stays connected.
   */
  async readFirst(): Promise<void> {
    try {
      this.#connection.catalogue = await this.#list(new Slices());
    } catch (error) {
      if (this.#connection.closed) throw error;
      this.#noteProblem(error);
      if (neededSignIn(error) !== undefined) return;
      this.#server.host.log.warn(
        `its tools cannot be listed: ${shortReasonOf(error)}`,
        this.#connection.place,
      );
    }
  }

  /** Reads the list again if it could not be read; rejects if it still cannot. */
  async ensureListed(): Promise<void> {
    const connection = this.#connection;
    if (connection.toolsProblem === undefined) return;
    this.#retry ??= this.#readAgain().finally(() => (this.#retry = undefined));
    await this.#retry;
    const problem: unknown = connection.toolsProblem;
    if (neededSignIn(problem) !== undefined) throw problem;
    if (problem !== undefined)
      throw this.#server.failures.error(
        `its tools cannot be listed: ${shortReasonOf(problem)}`,
        problem,
      );
  }

  /** The list may have changed: it is read again soon. */
  refresh(): void {
    this.#refresher.request();
  }

  /**
   * The settings or the approvals have changed: they are applied to what the server listed last. Calls
   * may wait for a new list, so it is requested only if it can differ.
   */
  applySettings(): void {
    const connection = this.#connection;
    const { rawTools } = connection.catalogue;
    const pins = this.#server.host.pins?.current;
    connection.hello = approvedHello(connection.hello, connection.place, pins);
    connection.catalogue = this.#catalogueOf(rawTools);
    if (connection.toolsProblem === undefined)
      this.#server.host.memory.update(this.#server, connection);
    if (connection.toolsProblem !== undefined || this.#isLimitedOtherwise) this.refresh();
  }

  get #isLimitedOtherwise(): boolean {
    const { tools, pages } = this.#server.settings.limits;
    return this.#limits?.tools !== tools || this.#limits.pages !== pages;
  }

  async #list(slices: Slices): Promise<Catalogue> {
    const { settings, host } = this.#server;
    const listed = await listTools(this.#connection, settings, host.log, slices);
    this.#limits = settings.limits;
    slices.begin();
    if (host.pins !== undefined) {
      await host.pins.load();
      await host.pins.current?.prepareTools(listed, slices);
    }
    // The settings may have changed since the server was asked.
    return this.#catalogueOf(listed);
  }

  #catalogueOf(listed: readonly ListedItem[]): Catalogue {
    const { settings, host } = this.#server;
    const { place, hello } = this.#connection;
    const instructions = ownInstructions(hello);
    const reviewed = host.pins?.current?.reviewTools(place, listed, instructions);
    return catalogueOf(listed, settings, reviewed);
  }

  /** Returns how many milliseconds that took, without the time the server took. */
  async #readAgain(): Promise<number> {
    const connection = this.#connection;
    const slices = new Slices();
    try {
      const next = await this.#list(slices);
      const isFirst = connection.toolsProblem !== undefined;
      connection.toolsProblem = undefined;
      if (!isFirst && next.fingerprint === connection.catalogue.fingerprint) return slices.spentMs;
      connection.catalogue = next;
      this.#server.host.memory.update(this.#server, connection);
      for (const client of connection.clients) client.onToolsChanged(this.#server, connection);
    } catch (error) {
      // The old list stays. If the connection is lost, that is reported elsewhere.
      if (connection.toolsProblem === undefined) this.#noteFailure(error);
      else this.#noteProblem(error);
    }
    return slices.spentMs;
  }

  #noteProblem(error: unknown): void {
    this.#connection.toolsProblem = error;
    this.#noteFailure(error);
  }

  /** A server that waits for the user has not failed. */
  #noteFailure(error: unknown): void {
    if (neededSignIn(error) === undefined)
      this.#server.failures.noted(shortReasonOf(error), codeOf(error));
  }
}
