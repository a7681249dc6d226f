import { type Call, type Route, askCaller } from "../../calls/call.ts";
import type { CallTarget } from "../../calls/destination.ts";
import type { Principal } from "../../calls/principal.ts";
import type { PendingCalls } from "../../calls/pending-calls.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { RPC } from "../../errors.ts";
import type { IncomingNotification } from "../../wire/messages.ts";
import { resemblesStandardMethod } from "../../wire/method-names.ts";
import { type AskTarget, ask } from "../requests/ask.ts";
import { OpenRequests } from "./open-requests.ts";
import { ResourceSubscribers } from "./resource-subscribers.ts";
import type { ServerClient } from "./server-client.ts";

/** Notifications for all clients of a server, even if they came with the answer to one of them. */
const FOR_ALL: ReadonlySet<string> = new Set([
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/tasks/status",
  "notifications/elicitation/complete",
  "notifications/cancelled",
]);

/** The connection that the clients share. */
export interface SharedConnection extends Route, AskTarget {
  readonly calls: PendingCalls;
  readonly closed: boolean;
}

/** The clients that use one connection, and which of them gets what the server sends. */
export class ConnectionClients {
  /** Clients that expect notifications, for whom the server has to stay connected. */
  readonly keepAliveFor = new Set<ServerClient>();
  readonly subscribers = new ResourceSubscribers();
  readonly #connection: SharedConnection;
  readonly #clients = new Set<ServerClient>();
  readonly #requests: OpenRequests;

  constructor(connection: SharedConnection) {
    this.#connection = connection;
    this.#requests = new OpenRequests(connection.calls);
  }

  get size(): number {
    return this.#clients.size;
  }

  [Symbol.iterator](): IterableIterator<ServerClient> {
    return this.#clients.values();
  }

  attach(client: ServerClient): void {
    this.#clients.add(client);
  }

  /** A client no longer uses the connection, and gets nothing more from it. */
  detach(client: ServerClient): void {
    this.#clients.delete(client);
    this.keepAliveFor.delete(client);
    for (const uri of this.subscribers.removeClient(client)) this.#unsubscribe(uri);
  }

  /**
   * Passes a notification of the server on: to the client whose call it belongs to, where that is
   * known, or else to all clients and to those that have a call in flight, unless it may be about a
   * call of another principal.
   */
  notify(server: CallTarget, notification: IncomingNotification, about: Call | undefined): void {
    // Progress of a call goes to its caller. A client might take other progress for that of a call
    // to another server.
    const { method } = notification;
    if (method === "notifications/progress" || resemblesStandardMethod(method)) return;
    if (about?.caller.onCallNotification !== undefined && !FOR_ALL.has(method)) {
      about.caller.onCallNotification(about, notification);
      return;
    }
    const mayGet = FOR_ALL.has(method) ? () => true : this.#recipients();
    for (const client of this.#clients)
      if (mayGet(client.principal)) client.onNotification(server, this.#connection, notification);
    for (const call of this.#connection.calls.inFlight())
      if (mayGet(call.caller.principal)) call.caller.onNotificationDuringCall?.(call, notification);
  }

  /**
   * Who may get a notification that could be about any call, such as a log message: if several
   * principals use the connection, the only one that has calls in flight.
   */
  #recipients(): (principal: Principal | undefined) => boolean {
    const calling = new Set<string>();
    for (const { caller } of this.#connection.calls.inFlight())
      if (caller.principal !== undefined) calling.add(caller.principal.id);
    const using = new Set(calling);
    for (const { principal } of this.#clients) if (principal !== undefined) using.add(principal.id);
    if (using.size <= 1) return () => true;
    return (principal) =>
      principal === undefined || (calling.size === 1 && calling.has(principal.id));
  }

  /**
   * Passes a request of the server to the client whose call caused it, never to another. A stream of
   * its own shows which call that was. Otherwise it is known if only one caller has calls in flight,
   * or if nothing is in flight and only one client uses the connection at all.
   */
  request(question: ServerRequest, about: Call | undefined): void {
    if (this.#requests.isFull) {
      const message = "Too many requests of this server are waiting for an answer";
      question.refuse({ code: RPC.internal, message });
      return;
    }
    const callers = new Map<object, Call>();
    for (const call of about ? [about] : this.#connection.calls.inFlight())
      if (call.origin === "client") callers.set(call.caller.client ?? call.caller, call);
    const [only] = callers.values();
    if (only !== undefined && callers.size === 1) {
      this.#requests.add(question, only);
      askCaller(question, only);
      return;
    }
    const [client] = this.#clients;
    if (callers.size === 0 && client !== undefined && this.#clients.size === 1) {
      this.#requests.add(question);
      client.onServerRequest(question, undefined);
      return;
    }
    question.refuse({
      code: RPC.internal,
      message: this.#reasonUnanswered(question, callers.size),
    });
  }

  /** The server is gone: its requests can no longer be answered. */
  withdrawRequests(): void {
    this.#requests.withdraw();
  }

  #reasonUnanswered({ method }: ServerRequest, callers: number): string {
    const { toolbox, server } = this.#connection.place;
    return callers === 0
      ? `No client of the workbench can answer ${method} now`
      : `Several clients use this server at once and ${method} cannot be attributed to one of them. Set "isolation": "session" for server '${server}' in toolbox '${toolbox}' to give each client its own process`;
  }

  /** Tells a legacy server that no client is subscribed to a resource any longer. */
  #unsubscribe(uri: string): void {
    // A server that does not support this keeps sending updates, which does no harm.
    if (!this.#connection.closed)
      ask(this.#connection, "resources/unsubscribe", { uri }).catch(() => {});
  }
}
