import type { Call } from "../calls/call.ts";
import { ServerRequest } from "../calls/server-request.ts";
import type { IncomingNotification, IncomingRequest } from "../wire/messages.ts";
import { Connection } from "./connection/connection.ts";
import type { ConnectedServer, ConnectionEvents } from "./connection/connection-owner.ts";
import { whenIdle } from "./connection/idle-timer.ts";
import { listenForChanges } from "./handshake/list-changes.ts";
import type { ServerFailures } from "./server-failures.ts";
import { ToolListing } from "./tools/tool-listing.ts";

/** One connection of a server, with everything that lasts as long as it does. */
export class ConnectionRecord {
  readonly startedAt = performance.now();
  readonly connection: Connection;
  readonly tools: ToolListing;
  /** Where its end counts as a failure. */
  readonly failures: ServerFailures;
  readonly #server: ConnectedServer;
  #stopIdleTimer: (() => void) | undefined;

  constructor(
    server: ConnectedServer,
    failures: ServerFailures,
    onLost: ConnectionEvents["onLost"],
  ) {
    this.#server = server;
    this.failures = failures;
    this.connection = new Connection(server, {
      onNotification: (notification, about) => this.#onNotification(notification, about),
      onRequest: (request, about) => this.#onRequest(request, about),
      onLost,
    });
    this.tools = new ToolListing(server, this.connection);
  }

  /** Asks a modern server for notifications about its lists. */
  listenForChanges(): void {
    if (this.connection.hello.era === "modern")
      listenForChanges(this.connection, (news) => this.#onNotification(news, undefined));
  }

  /** Calls back once, when the connection has not been used for `timeouts.idleMs`. */
  startIdleTimer(onIdle: () => void): void {
    const idleMs = (): number => this.#server.settings.timeouts.idleMs;
    this.#stopIdleTimer = whenIdle(this.connection, idleMs, onIdle);
  }

  async close(): Promise<void> {
    this.#stopIdleTimer?.();
    await this.connection.close();
  }

  #onNotification(notification: IncomingNotification, about: Call | undefined): void {
    const { method, params } = notification;
    if (method === "notifications/tasks/status") this.connection.tasks.update(params);
    if (method === "notifications/tools/list_changed") this.tools.refresh();
    else this.connection.clients.notify(this.#server, notification, about);
  }

  #onRequest(request: IncomingRequest, about: Call | undefined): void {
    const question = new ServerRequest(request, this.connection);
    if (request.method === "ping") question.answer("{}");
    else this.connection.clients.request(question, about);
  }
}
