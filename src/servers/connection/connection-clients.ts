import { type Call, type Caller, type Route, askCaller, isClientCall } from "../../calls/call.ts";
import type { CallTarget } from "../../calls/destination.ts";
import type { Principal } from "../../calls/principal.ts";
import type { PendingCalls } from "../../calls/pending-calls.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { relatedTaskOf } from "../../calls/tasks.ts";
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

const LOG_MESSAGE = "notifications/message";
const ANY_LEVEL = "any";

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
    const mayGet = FOR_ALL.has(method) ? () => true : this.#recipients(method === LOG_MESSAGE);
    for (const client of this.#clients)
      if (mayGet(client.principal, client.logLevel))
        client.onNotification(server, this.#connection, notification);
    // These callers ignore log messages unless they asked for them.
    for (const call of this.#connection.calls.inFlight())
      if (mayGet(call.caller.principal, ANY_LEVEL))
        call.caller.onNotificationDuringCall?.(call, notification);
  }

  /**
   * Who may get a notification that could be about any call, such as a log message: if several
   * principals use the connection, or several clients of a shared workbench, the only one that has
   * calls in flight, or given up not long ago. If none has, it is for all clients of the same principal.
   * If several clients of the same principal have, log messages are for those that have set a level.
   */
  #recipients(
    isLog: boolean,
  ): (principal: Principal | undefined, level: string | undefined) => boolean {
    const calling = new Set<string>();
    const principals = new Set<string>();
    for (const { caller } of this.#connection.calls.inFlight())
      if (caller.principal !== undefined) {
        calling.add(addresseeOf(caller.principal));
        principals.add(caller.principal.id);
      }
    for (const left of this.#connection.calls.turns?.left() ?? []) calling.add(addresseeOf(left));
    const using = new Set(calling);
    for (const { principal } of this.#clients)
      if (principal !== undefined) {
        using.add(addresseeOf(principal));
        principals.add(principal.id);
      }
    const isForAll = calling.size === 0 && principals.size <= 1;
    if (using.size <= 1 || isForAll) return () => true;
    return (principal, level) => {
      if (principal === undefined) return true;
      const isWanted = isLog && principals.size <= 1 && level !== undefined;
      return (calling.size === 1 || isWanted) && calling.has(addresseeOf(principal));
    };
  }

  /**
   * Passes a request of the server to the client whose call caused it, never to another. A stream of
   * its own or a task shows which call that was. Otherwise it is known if only one caller has calls in
   * flight, or if nothing is in flight and only one client uses the connection at all, unless it may
   * belong to a call that another client gave up.
   */
  request(question: ServerRequest, about: Call | undefined): void {
    if (this.#requests.isFull) {
      const message = "Too many requests of this server are waiting for an answer";
      question.refuse({ code: RPC.internal, message });
      return;
    }
    const callers = this.#callers(question, about);
    const { turns } = this.#connection.calls;
    // Many servers ask for the roots once, when they start. That is no reason to take turns.
    if (turns && about === undefined && callers.size > (question.method === "roots/list" ? 1 : 0))
      turns.server.asksDuringCalls = true;
    if (!this.#ask(question, callers, about !== undefined)) this.#refuse(question, callers);
  }

  /** The calls that may have caused a request of the server, one for each client. */
  #callers(question: ServerRequest, about: Call | undefined): Map<object, Call> {
    const callers = new Map<object, Call>();
    const taskId = relatedTaskOf(question.request.params);
    for (const call of about ? [about] : this.#connection.calls.inFlight())
      if (call.origin === "client" && !this.#isOfOtherTask(call, taskId))
        callers.set(call.caller.client ?? call.caller, call);
    return callers;
  }

  /** Whether a request about a task cannot be meant for the client of a call, because it did not start it. */
  #isOfOtherTask(call: Call, taskId: unknown): boolean {
    if (taskId === undefined || !isClientCall(call)) return false;
    const { pipeline, owner } = call.caller;
    return pipeline.tasks.isOfAnother(owner, taskId, this.#connection.place);
  }

  /** Asks the only client that can be meant; false if there is none. */
  #ask(question: ServerRequest, callers: Map<object, Call>, isCertain: boolean): boolean {
    const { turns } = this.#connection.calls;
    const isOf = (principal: Principal | undefined): boolean =>
      isCertain || turns?.mayConcernOther(principal?.client) !== true;
    const [only] = callers.values();
    if (only !== undefined && callers.size === 1 && isOf(only.caller.principal)) {
      this.#requests.add(question, only);
      askCaller(question, only);
      return true;
    }
    const [client] = this.#clients;
    const isAlone = this.#clients.size === 1 && callers.size === 0;
    if (!isAlone || client === undefined || !isOf(client.principal)) return false;
    this.#requests.add(question);
    client.onServerRequest(question, undefined);
    return true;
  }

  /** Waiting until one call is left would be a guess: the server may answer a call without the answer to its question. */
  #refuse(question: ServerRequest, callers: ReadonlyMap<object, Call>): void {
    const [call] = callers.values();
    const message = this.#reasonUnanswered(question, call?.caller);
    question.refuse({ code: RPC.internal, message });
  }

  /** The server is gone: its requests can no longer be answered. */
  withdrawRequests(): void {
    this.#requests.withdraw();
  }

  #reasonUnanswered({ method }: ServerRequest, caller: Caller | undefined): string {
    const { toolbox, server } = this.#connection.place;
    if (caller === undefined) return `No client of the workbench can answer ${method} now`;
    const unclear = `Several clients use this server at once and ${method} cannot be attributed to one of them.`;
    const solution = `Set "isolation": "session" for server '${server}' in toolbox '${toolbox}' to give each client its own process`;
    return caller.principal?.client === undefined
      ? `${unclear} ${solution}`
      : `${unclear} Their calls take turns from now on, so try again. ${solution}`;
  }

  /** Tells a legacy server that no client is subscribed to a resource any longer. */
  #unsubscribe(uri: string): void {
    // A server that does not support this keeps sending updates, which does no harm.
    if (!this.#connection.closed)
      ask(this.#connection, "resources/unsubscribe", { uri }).catch(() => {});
  }
}

/** Equal for what may see the same messages. */
function addresseeOf({ id, client }: Principal): string {
  return client === undefined ? id : `${id} ${client}`;
}
