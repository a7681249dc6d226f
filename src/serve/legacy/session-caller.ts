import { ClientCall, type Pipeline } from "../../calls/client-call.ts";
import { type Router, dispatch } from "../../calls/dispatch.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { cancel } from "../../calls/settle.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { ServerHello } from "../../servers/handshake/server-hello.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingNotification, IncomingRequest, JsonObject } from "../../wire/messages.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { ServedClient } from "../served-client.ts";
import type { SessionAnswers } from "./session-answers.ts";
import type { SessionClient } from "./session-client.ts";
import type { SessionProfile } from "./session-profile.ts";

export interface SessionCallerOptions {
  readonly scope: Scope;
  readonly owner: string;
  readonly principal: Principal;
  readonly pipeline: Pipeline;
  readonly profile: SessionProfile;
  readonly client: SessionClient;
  readonly answers: SessionAnswers;
}

/** A legacy client as its calls see it, and those of them that are in flight. */
export class SessionCaller implements ServedClient {
  readonly era = "legacy";
  readonly scope: Scope;
  readonly owner: string;
  readonly principal: Principal;
  readonly pipeline: Pipeline;
  readonly client: SessionClient;
  readonly #profile: SessionProfile;
  readonly #answers: SessionAnswers;
  readonly #calls = new Map<string, ClientCall>();

  constructor(options: SessionCallerOptions) {
    this.scope = options.scope;
    this.owner = options.owner;
    this.principal = options.principal;
    this.pipeline = options.pipeline;
    this.client = options.client;
    this.#profile = options.profile;
    this.#answers = options.answers;
  }

  /** Starts a call; false if the id of the request is still in use. */
  call(request: IncomingRequest, route: Router): boolean {
    const { idText } = request;
    if (this.#calls.has(idText)) return false;
    const call = new ClientCall(this, request);
    this.#calls.set(idText, call);
    dispatch(call, route);
    return true;
  }

  cancel(idText: string, reason: unknown): void {
    const call = this.#calls.get(idText);
    if (call !== undefined) cancel(call, reason);
  }

  cancelAll(reason: string): void {
    for (const call of this.#calls.values()) cancel(call, reason);
  }

  get envelope(): JsonObject {
    return this.#profile.envelope;
  }

  get open(): { server: Server; connection: Connection }[] {
    return this.client.connections.open;
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

  helloOf(server: Server): Promise<ServerHello> {
    return this.client.connections.helloOf(server);
  }

  onSettled(call: ClientCall, outcome: Outcome): void {
    this.#calls.delete(call.request.idText);
    this.#answers.send(call, outcome);
  }

  onProgress({ progressToken, request }: ClientCall, notification: IncomingNotification): void {
    if (progressToken !== undefined)
      this.client.notifications.sendProgress(request.idText, progressToken, notification);
  }

  onCallNotification({ request }: ClientCall, notification: IncomingNotification): void {
    this.client.notifications.sendAbout(request.idText, notification);
  }

  onServerRequest(question: ServerRequest, call: ClientCall | undefined): void {
    this.client.onServerRequest(question, call);
  }
}
