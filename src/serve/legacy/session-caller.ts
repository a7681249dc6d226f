import { ClientCall } from "../../calls/call.ts";
import { type Router, dispatch } from "../../calls/dispatch.ts";
import type { Outcome } from "../../calls/outcome.ts";
import { RequestTable } from "../../calls/request-table.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { cancel } from "../../calls/settle.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingNotification, IncomingRequest, JsonObject } from "../../wire/messages.ts";
import type { ClientOutput } from "../client-output.ts";
import type { ServedClient } from "../served-client.ts";
import type { SessionAnswers } from "./session-answers.ts";
import type { SessionClient } from "./session-client.ts";
import {
  FIRST_METHODS,
  type LegacyClient,
  SESSION_METHODS,
  notInitialized,
} from "./session-methods.ts";
import type { SessionProfile } from "./session-profile.ts";

export interface SessionCallerOptions extends Pick<
  ServedClient,
  "scope" | "owner" | "principal" | "pipeline"
> {
  readonly profile: SessionProfile;
  readonly client: SessionClient;
  readonly output: ClientOutput;
  readonly answers: SessionAnswers;
}

/** A legacy client as its calls see it, and those of them that are in flight. */
export class SessionCaller implements LegacyClient {
  readonly era = "legacy";
  readonly scope: ServedClient["scope"];
  readonly owner: ServedClient["owner"];
  readonly principal: ServedClient["principal"];
  readonly pipeline: ServedClient["pipeline"];
  readonly profile: SessionProfile;
  readonly client: SessionClient;
  readonly #output: ClientOutput;
  readonly #answers: SessionAnswers;
  readonly #calls = new RequestTable<ClientCall>();

  constructor(options: SessionCallerOptions) {
    this.scope = options.scope;
    this.owner = options.owner;
    this.principal = options.principal;
    this.pipeline = options.pipeline;
    this.profile = options.profile;
    this.client = options.client;
    this.#output = options.output;
    this.#answers = options.answers;
  }

  /** Starts the call of a request. */
  call(request: IncomingRequest): void {
    const { idText } = request;
    if (this.#calls.get(idText) !== undefined) {
      this.#answers.refuseUsedId(idText);
      return;
    }
    const call = new ClientCall(this, request);
    this.#calls.set(idText, call);
    dispatch(call, this.#route);
  }

  /** Some methods belong to the session, all others to the surface. */
  readonly #route: Router = (call) => {
    const { request } = call;
    const { method } = request;
    if (this.profile.protocolVersion === undefined && !FIRST_METHODS.has(method))
      return notInitialized(method);
    const routeOwn = SESSION_METHODS.get(method);
    return routeOwn ? routeOwn(this, request) : this.client.surface.route(this, call);
  };

  /** Whether a call has no answer yet. */
  get isWaiting(): boolean {
    return this.#calls.size > 0;
  }

  /** Cancels a call, or all of them. */
  cancel(idText: string | undefined, reason: unknown): void {
    const one = idText === undefined ? undefined : this.#calls.get(idText);
    if (one !== undefined) cancel(one, reason);
    if (idText === undefined) for (const call of this.#calls.values()) cancel(call, reason);
  }

  get envelope(): JsonObject {
    return this.profile.envelope;
  }

  /** A reload may have taken servers out of its scope that it is still connected to. */
  get open(): { server: Server; connection: Connection }[] {
    const isInScope = (server: Server): boolean =>
      this.scope.get(server.place.toolbox)?.servers.get(server.place.server) === server;
    return this.client.connections.open.filter(({ server }) => isInScope(server));
  }

  connectionTo(server: Server): Connection | undefined {
    return this.client.connections.get(server);
  }

  connect(server: Server): Promise<Connection> {
    return this.client.connections.connect(server);
  }

  awaitConnection(server: Server): Promise<Connection> {
    return this.client.connections.awaitConnection(server);
  }

  helloOf(server: Server): Promise<Connection["hello"]> {
    return this.client.connections.helloOf(server);
  }

  onSettled(call: ClientCall, outcome: Outcome): void {
    const { idText } = call.request;
    this.#calls.delete(idText);
    // The result of a server is forwarded as it is.
    if (outcome.kind === "response" && !outcome.response.isError)
      this.#output.answer(idText, outcome.response);
    else this.#answers.send(call, outcome);
  }

  onProgress(call: ClientCall, notification: IncomingNotification): void {
    this.client.notifications.sendProgress(call, notification);
  }

  onCallNotification(call: ClientCall, notification: IncomingNotification): void {
    this.client.notifications.sendAbout(call, notification);
  }

  onServerRequest(serverRequest: ServerRequest, call: ClientCall | undefined): void {
    this.client.onServerRequest(serverRequest, call);
  }
}
