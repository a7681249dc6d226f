import { type Server as HttpServer, createServer } from "node:http";

import { workbenchError } from "../errors.ts";
import { Access } from "../serve/http/access.ts";
import { urlOf } from "../serve/http/address.ts";
import { refuse } from "../serve/http/http-responses.ts";
import { listen } from "../serve/http/listen.ts";
import { pathOf } from "../serve/http/routes.ts";
import type { ShownWorkbench } from "./create-context.ts";
import { Dashboard } from "./dashboard.ts";

const LOOPBACK = "127.0.0.1";
const TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 100;
/** How often it is checked whether a page is open, and how long none need be. */
const CHECK_MS = 30_000;
const UNUSED_MS = 5 * 60_000;

/**
 * The dashboard of a workbench that does not serve HTTP. From the first link on, it listens on a free port of this machine, where
 * there is nothing else; until no page has been open for a while.
 */
export class LoopbackDashboard {
  readonly #shown: ShownWorkbench;
  readonly #onUnused: () => void;
  #opened: Promise<string> | undefined;
  #dashboard: Dashboard | undefined;
  #server: HttpServer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #usedAt = 0;

  constructor(shown: ShownWorkbench, onUnused: () => void) {
    this.#shown = shown;
    this.#onUnused = onUnused;
  }

  /** Whether a page is open, or was a short time ago. */
  get isUsed(): boolean {
    return this.#opened !== undefined;
  }

  /** A link that signs in one browser. */
  async newLink(): Promise<string> {
    this.#usedAt = performance.now();
    this.#opened ??= this.#open();
    const url = await this.#opened.catch((error: unknown) => {
      this.close();
      throw error;
    });
    if (this.#dashboard === undefined) throw workbenchError("WORKBENCH_CLOSED", {});
    return this.#dashboard.newLink(url);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#dashboard?.close();
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#opened = undefined;
    this.#dashboard = undefined;
    this.#server = undefined;
  }

  /** Returns its address. */
  async #open(): Promise<string> {
    const server = createServer({ headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS });
    server.maxConnections = MAX_CONNECTIONS;
    const { port } = await listen(server, { host: LOOPBACK, port: 0 });
    const address = { host: LOOPBACK, port };
    const access = new Access(address, [], { owner: undefined });
    const dashboard = new Dashboard(this.#shown);
    server.on("error", () => {});
    server.on("request", (request, response) => {
      const foreign = access.foreign(request);
      const path = pathOf(request.url ?? "");
      if (foreign !== undefined) refuse(response, foreign);
      else if (path === "/ui" || path.startsWith("/ui/")) dashboard.handle(request, response);
      else refuse(response, workbenchError("NOTHING_HERE", { path }, "See /ui/"));
    });
    this.#server = server;
    this.#dashboard = dashboard;
    this.#timer = setInterval(() => this.#closeUnused(dashboard), CHECK_MS).unref();
    return urlOf(address);
  }

  #closeUnused({ pages }: Dashboard): void {
    const now = performance.now();
    if (pages > 0) this.#usedAt = now;
    if (now - this.#usedAt < UNUSED_MS) return;
    this.close();
    this.#onUnused();
  }
}
