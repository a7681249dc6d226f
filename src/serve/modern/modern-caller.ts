import type { Call, ClientCall, Pipeline } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import { type Principal, accessIdOf } from "../../calls/principal.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { SOLE_OWNER, modernOwner } from "../../calls/tasks.ts";
import type { ClientProfile } from "../../protocol/client-profile.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { reaches, sendLogLevel } from "../../servers/connection/log-level.ts";
import type { Server } from "../../servers/server.ts";
import { type IncomingNotification, forwardedText, progressText } from "../../wire/messages.ts";
import { type Scope, serversIn } from "../../workbench/scopes.ts";
import type { ServedClient } from "../served-client.ts";
import { modernAnswer } from "./modern-answer.ts";
import type { ModernReply } from "./modern-reply.ts";

/** The notifications that the protocol defines, which are handled elsewhere. */
const STANDARD =
  /^notifications\/((tools|prompts|resources)\/|cancelled|progress|tasks|elicitation)/;

export interface ModernCallerOptions {
  readonly scope: Scope;
  readonly isTransparent: boolean;
  readonly pipeline: Pipeline;
  readonly principal: Principal;
  /** Whose tasks the client sees; undefined unless it is one of several with a connection. */
  readonly owner: string | undefined;
  /** Set if all requests come from one client. */
  readonly client: object | undefined;
  readonly profile: ClientProfile;
  readonly logLevel: string | undefined;
  readonly reply: ModernReply;
}

/** A modern client as the call of one request sees it; nothing else is known of the client. */
export class ModernCaller implements ServedClient {
  readonly era = "modern";
  readonly envelope = undefined;
  readonly client: object | undefined;
  readonly owner: string;
  readonly principal: Principal;
  readonly pipeline: Pipeline;
  readonly scope: Scope;
  readonly #options: ModernCallerOptions;

  constructor(options: ModernCallerOptions) {
    this.#options = options;
    this.client = options.client;
    const isOne = options.client !== undefined;
    this.owner =
      options.owner ??
      (isOne ? SOLE_OWNER : modernOwner(accessIdOf(options.principal), options.profile.info));
    this.principal = options.principal;
    this.pipeline = options.pipeline;
    this.scope = options.scope;
  }

  get profile(): { readonly client: ClientProfile } {
    return { client: this.#options.profile };
  }

  get open(): { server: Server; connection: Connection }[] {
    return serversIn(this.scope).flatMap((server) => {
      const connection = server.ready(this.#options.profile);
      return connection === undefined ? [] : [{ server, connection }];
    });
  }

  connectionTo(server: Server): Connection | undefined {
    const { profile, logLevel } = this.#options;
    const connection = server.ready(profile);
    // The level of logging must be sent to a legacy server before the call.
    const needsLevel = logLevel !== undefined && connection?.hello.era === "legacy";
    return needsLevel ? undefined : connection;
  }

  connect(server: Server): Promise<Connection> {
    return server.unlessDownloading(this.awaitConnection(server));
  }

  helloOf(server: Server): ReturnType<ServedClient["helloOf"]> {
    return server.hello(this.#options.profile);
  }

  async awaitConnection(server: Server): Promise<Connection> {
    const { profile, logLevel } = this.#options;
    const connection = await server.connect(profile);
    if (logLevel !== undefined) await sendLogLevel(connection, logLevel);
    return connection;
  }

  onSettled(call: ClientCall, outcome: Outcome): void {
    const answer = modernAnswer(call, outcome, this.#options.isTransparent);
    if (answer !== undefined) this.#options.reply.finish(answer);
  }

  onProgress(call: Call, notification: IncomingNotification): void {
    this.#options.reply.notify(notification, () =>
      call.progressToken === undefined ? undefined : progressText(notification, call.progressToken),
    );
  }

  /** Clients listen for changes; any other notification may belong to this request. */
  onCallNotification(_call: Call, notification: IncomingNotification): void {
    const { method, params } = notification;
    const { logLevel, isTransparent, reply } = this.#options;
    const isWanted =
      method === "notifications/message"
        ? logLevel !== undefined && reaches(logLevel, params)
        : isTransparent && !STANDARD.test(method);
    if (isWanted) reply.notify(notification, () => forwardedText(notification));
  }

  onNotificationDuringCall(call: Call, notification: IncomingNotification): void {
    const { method, params } = notification;
    if (method !== "notifications/cancelled") this.onCallNotification(call, notification);
    else if (call.route !== undefined)
      this.#options.reply.withdraw(call.route, params["requestId"]);
  }

  onServerRequest(serverRequest: ServerRequest, call: Call | undefined): void {
    this.#options.reply.ask(serverRequest, call);
  }
}
