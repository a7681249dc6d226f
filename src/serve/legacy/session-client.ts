import type { ClientCall } from "../../calls/call.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { sendLogLevel } from "../../servers/connection/log-level.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingNotification, RpcError } from "../../wire/messages.ts";
import type { ClientOutput } from "../client-output.ts";
import { prepareServerRequest, refusalByCapabilities } from "../server-requests.ts";
import { ResourceSubscriptions } from "../resource-subscriptions.ts";
import type { Surface } from "../surface/surface.ts";
import { ClientConnections } from "./client-connections.ts";
import { SessionNotifications } from "./session-notifications.ts";
import type { SessionProfile } from "./session-profile.ts";
import { SessionQuestions } from "./session-questions.ts";

const UPDATED = "notifications/resources/updated";

export interface SessionClientOptions {
  readonly profile: Readonly<SessionProfile>;
  readonly output: ClientOutput;
  readonly surfaceOf: (client: SessionClient) => Surface;
  readonly principal: ClientCall["principal"];
  readonly questionIds?: string | undefined;
  /** Whether servers may have been introduced to the workbench instead of this client. */
  readonly isInCluster?: boolean;
  /** Whether the client may get this notification of a server, unless it belongs to a call. */
  readonly mayReceive: (server: Pick<Server, "place">, method: string) => boolean;
  /** Whether the client may know of a task of this server. */
  readonly isOwnTask: (taskId: unknown, server: Server) => boolean;
}

/** A legacy client as servers see it: they notify it and send it requests. */
export class SessionClient implements ServerClient {
  readonly connections: ClientConnections;
  readonly surface: Surface;
  readonly notifications: SessionNotifications;
  readonly questions: SessionQuestions;
  readonly subscriptions: ResourceSubscriptions;
  readonly #options: SessionClientOptions;

  constructor(options: SessionClientOptions) {
    const { profile, output, surfaceOf } = options;
    this.#options = options;
    this.notifications = new SessionNotifications(output, profile);
    this.questions = new SessionQuestions(output, options.questionIds);
    this.subscriptions = new ResourceSubscriptions(this, (params, server) => {
      if (options.mayReceive(server, UPDATED)) this.notifications.send(UPDATED, params);
    });
    this.connections = new ClientConnections(this, profile, (server, connection, isFirst) =>
      this.#onConnected(server, connection, isFirst),
    );
    this.surface = surfaceOf(this);
  }

  get principal(): ClientCall["principal"] {
    return this.#options.principal;
  }

  /** What the client has stated about itself. */
  get profile(): Readonly<SessionProfile> {
    return this.#options.profile;
  }

  get logLevel(): string | undefined {
    return this.#options.profile.logLevel;
  }

  onToolsChanged(server: Server, connection: Connection): void {
    this.surface.onToolsChanged(server, connection);
  }

  onNotification(server: Server, connection: Connection, notification: IncomingNotification): void {
    const { method, params } = notification;
    if (this.#concernsAnother(server, notification)) return;
    if (method === UPDATED) this.subscriptions.updated(server, params);
    else if (method === "notifications/cancelled")
      this.questions.withdraw(connection, params["requestId"], params["reason"]);
    else if (this.#options.mayReceive(server, method))
      this.notifications.sendUnsolicited(notification, server);
  }

  onServerRequest(serverRequest: ServerRequest, call: ClientCall | undefined): void {
    const { isTransparent } = this.surface;
    if (call === undefined && !this.#options.mayReceive(serverRequest.from, "")) {
      serverRequest.refuseMethod();
      return;
    }
    const refused =
      prepareServerRequest(serverRequest, call !== undefined, isTransparent) ??
      this.#refusalIfShared(serverRequest);
    if (refused === undefined) this.questions.ask(serverRequest, call?.request.idText);
    else serverRequest.refuse(refused);
  }

  /** The client is gone: it is neither notified nor asked any longer. */
  close(): void {
    this.questions.close();
    this.subscriptions.close();
    this.notifications.close();
    this.connections.close();
  }

  /** Repeats to a new connection what the client asked of the one before. */
  #onConnected(server: Server, connection: Connection, isFirst: boolean): void {
    const { isTransparent } = this.surface;
    void sendLogLevel(connection);
    this.subscriptions.renew(server, connection);
    if (!isFirst || isTransparent) this.onToolsChanged(server, connection);
    // The first lists of the only server that a client sees are not a change.
    if (isTransparent && isFirst) return;
    for (const kind of ["prompts", "resources"])
      if (kind in connection.hello.capabilities)
        this.notifications.sendUnsolicited(
          { method: `notifications/${kind}/list_changed`, params: {} },
          server,
        );
  }

  /** The server of a connection for all clients does not know what this one supports. */
  #refusalIfShared({ method, request }: ServerRequest): RpcError | undefined {
    const { capabilities, shared } = this.#options.profile.client;
    if (shared?.sharesAll !== true && this.#options.isInCluster !== true) return undefined;
    return refusalByCapabilities(capabilities, method, request.params);
  }

  /** True for a notification about a task or an elicitation of another client or server. */
  #concernsAnother(server: Server, { method, params }: IncomingNotification): boolean {
    if (method === "notifications/elicitation/complete")
      return !this.questions.elicitations.has(server.place, params);
    if (!method.startsWith("notifications/tasks")) return false;
    return !this.#options.isOwnTask(params["taskId"], server);
  }
}
