import type { Questions } from "../../config/types.ts";
import type { WorkbenchError } from "../../errors.ts";
import type { Call, Route } from "../../calls/call.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { CallSlots } from "../../calls/call-slots.ts";
import { CallTable } from "../../calls/call-table.ts";
import type { Era } from "../../protocol/client-profile.ts";
import { receive } from "../../calls/receive.ts";
import { complete } from "../../calls/settle.ts";
import { subscriptionOf } from "../../protocol/envelope.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { RunningTasks } from "../../calls/tasks.ts";
import { shownLines } from "../transport/stdio/stderr-tail.ts";
import type { Line } from "../../wire/lines.ts";
import {
  type IncomingNotification,
  type JsonObject,
  notificationText,
} from "../../wire/messages.ts";
import { type ServerResponse, readServerLine } from "../../wire/response.ts";
import type { Channel, ChannelEvents, ServerProcess } from "../transport/channel.ts";
import { Catalogue } from "../tools/catalogue.ts";
import {
  type DeliveryFailure,
  inexactError,
  lostError,
  timeoutError,
  mishandledError,
  noRoom,
  timeoutReason,
  undeliverableError,
} from "../../calls/call-errors.ts";
import type { ConnectionEvents, ConnectionOwner } from "./connection-owner.ts";
import { type ServerHello, NOT_CONNECTED } from "../handshake/server-hello.ts";
import { ResourceSubscribers } from "./resource-subscribers.ts";
import { refuseInvalid, reportMishandled, reportUnreadable } from "./unreadable-input.ts";
import type { RetryAfter } from "../transport/retry-after.ts";
import type { ServerClient } from "./server-client.ts";
import {
  type UnreadMessage,
  answeredId,
  excessiveMessage,
  isAnswer,
  oversizedMessage,
  refuseUnread,
} from "./unread.ts";

const SWEEP_MS = 250;
const STDERR_LINES = 5;
const CLOSED = ["the connection is closed", undefined] as const;
/** The number of messages of maximum size that the server may leave unread. */
const UNREAD_MESSAGES = 4;

/**
 * One live connection: assigns ids to calls, remembers their callers, and returns each answer.
 * Every admitted call ends in exactly one way: answered, failed, or cancelled by its caller.
 */
export class Connection implements ChannelEvents, Route {
  readonly place: ServerRef;
  /** The clients that use this connection. */
  readonly clients = new Set<ServerClient>();
  /** The server's description of itself; set once the handshake is done. */
  hello: ServerHello = NOT_CONNECTED;
  catalogue = Catalogue.EMPTY;
  /** The envelope for requests of the workbench itself to a modern server. */
  envelope: JsonObject | undefined;
  lastUsed = performance.now();
  /** Clients that expect notifications, for whom the server has to stay connected. */
  readonly keepAliveFor = new Set<ServerClient>();
  readonly tasks = new RunningTasks();
  readonly subscribers = new ResourceSubscribers();
  /** Requests of the server that have not been answered. */
  readonly questions = new Set<ServerRequest>();
  #channel!: Channel;
  #closed = false;
  #sweep: NodeJS.Timeout | undefined;
  readonly #owner: ConnectionOwner;
  readonly #events: ConnectionEvents;
  readonly #calls = new CallTable();
  readonly #slots = new CallSlots({
    concurrency: () => this.#owner.settings.limits.concurrency,
    send: (call, message) => this.#channel.send(message, call),
    awaits: (call) => this.isAwaited(call),
  });

  constructor(owner: ConnectionOwner, events: ConnectionEvents) {
    this.#owner = owner;
    this.#events = events;
    this.place = { toolbox: owner.settings.toolbox, server: owner.settings.name };
  }

  async attach(channel: Channel): Promise<void> {
    this.#channel = channel;
    if (!this.#closed) return;
    await channel.close();
    throw new Error(this.loss?.[0] ?? "the connection was closed while it was being opened");
  }

  get era(): Era {
    return this.hello.era;
  }

  get mayAsk(): Questions {
    return this.#owner.settings.questions;
  }

  get pid(): number | undefined {
    return this.#channel?.pid;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get pending(): IterableIterator<Call> {
    return this.#calls.values();
  }

  /** The pending calls that were sent; the others wait for a slot. */
  *inFlight(): Generator<Call> {
    for (const call of this.#calls.values()) if (call.state === "sent") yield call;
  }

  /** The number of calls with a waiting caller. */
  get waiting(): number {
    return this.#calls.waiting;
  }

  /** The handshake has chosen an era. */
  negotiated(era: Era, version: string): void {
    this.#channel.onNegotiated(era, version);
  }

  /** Whether the server responds even to requests it does not know. */
  get refusesUnknown(): boolean {
    return this.#channel.refusesUnknown;
  }

  /** Why a tool that the server lists cannot be called; undefined if it can. */
  unusable(tool: JsonObject): string | undefined {
    return this.#channel.reasonUnusable(tool);
  }

  stderrTail(count = STDERR_LINES): string[] {
    return shownLines(this.#owner.host.redact, this.#channel?.stderrTail(2 * count) ?? [], count);
  }

  /** Assigns an id to the call, or returns why it cannot be accepted. */
  register(call: Call): WorkbenchError | undefined {
    if (this.#closed) return lostError(call, this.place, ...(this.loss ?? CLOSED));
    const { timeouts, limits } = this.#owner.settings;
    const refusal = noRoom(this.place, limits, this.#slots, this.#channel.backlog);
    if (refusal !== undefined) return refusal;
    const now = performance.now();
    this.lastUsed = now;
    // The handshake as a whole has `connectMs`. Its calls have more, so that they never time out
    // first.
    const { connectMs, callMs, totalMs } = timeouts;
    if (this.hello === NOT_CONNECTED) this.#calls.add(call, now, 2 * connectMs, 2 * connectMs);
    else this.#calls.add(call, now, callMs, totalMs);
    call.route = this;
    this.#sweep ??= setTimeout(this.#onSweep, SWEEP_MS);
    return undefined;
  }

  /** Sends a request that stays open as long as the connection. */
  openStream(call: Call, messageOf: (id: number) => string): void {
    if (this.#closed) return;
    this.#calls.addStream(call);
    call.route = this;
    call.state = "sent";
    this.#channel.send(messageOf(call.id), call);
  }

  /** Sends a registered call, immediately or when there is a slot. */
  submit(call: Call, message: string): void {
    this.#slots.acquire(call, message);
  }

  /** Sends a notification or a response; dropped if the server is gone or does not read. */
  send(message: string): void {
    const limit = UNREAD_MESSAGES * this.#owner.settings.limits.messageBytes;
    if (!this.#closed && this.#channel.backlog <= limit) this.#channel.send(message);
  }

  /** The caller cancelled the call: the server is notified, and a late answer is dropped. */
  cancel(call: Call, reason: unknown): void {
    if (this.#calls.take(call.id) !== undefined) this.#withdraw(call, reason);
  }

  /** The server waits for the caller now, so the time limit of its call is paused. */
  pause(call: Call): void {
    call.openRequests++;
    call.deadline = call.totalDeadline;
  }

  /** A request of the server was answered. */
  proceed(call: Call): void {
    if (--call.openRequests === 0) this.#restartClock(call);
  }

  /** The server's process, if it has one. */
  get process(): ServerProcess | undefined {
    return this.#channel?.process;
  }

  async close(): Promise<void> {
    this.#end((call) => lostError(call, this.place, "the connection was closed"));
    await this.#channel?.close();
  }

  /** No output of one server may cause an exception that affects others. */
  onLine(line: Line, about?: Call): void {
    try {
      this.#line(line, about);
    } catch (error) {
      reportMishandled(this, this.#owner.host, error);
    }
  }

  #line(line: Line, about: Call | undefined): void {
    const message = readServerLine(line);
    switch (message.kind) {
      case "answer":
        return this.#answered(message.response);
      case "notification":
        return this.#notified(message.notification, about);
      case "request":
        return this.#events.onRequest(message.request, about);
      case "excessive": {
        const unread = excessiveMessage(this.place, message, line.bytes);
        return this.#unread(unread, isAnswer(unread) === true ? about : undefined);
      }
      case "inexact":
        // A server's mistakes may only affect its own calls.
        for (const id of message.ids) this.#failSent(id, inexactError(this.place, message.reason));
        return;
      case "invalid":
        return refuseInvalid(this, this.#owner.host, message, line);
      default:
        reportUnreadable(this, this.#owner.host, line);
    }
  }

  #answered(response: ServerResponse): void {
    const call = this.#takeSent(response.id);
    if (call === undefined) return;
    if (this.#owner.failures.callsFail) this.#owner.failures.callAnswered(call);
    try {
      receive(call, response);
    } catch (error) {
      reportMishandled(this, this.#owner.host, error);
      this.#tell(call, mishandledError(call, this.place, error));
    }
  }

  /** On the stream of a call nothing follows a message that was too large. */
  onOversized(head: Buffer, bytes: number, about?: Call, tail?: Buffer): void {
    const limit = this.#owner.settings.limits.messageBytes;
    this.#unread(oversizedMessage(this.place, limit, head, bytes, tail), about);
  }

  /**
   * A dropped answer belongs to the call whose id is at one of its ends. If there is no id, it can
   * only belong to the single running call.
   */
  #unread(message: UnreadMessage, about: Call | undefined): void {
    const isOne = isAnswer(message);
    if (isOne === false) {
      refuseUnread(this, this.#owner.host, message);
      if (about === undefined) return;
    }
    const id = about?.id ?? answeredId(message) ?? (isOne ? this.#calls.onlySentId : undefined);
    if (id !== undefined) this.#failSent(id, message.error);
  }

  onUndeliverable(call: Call, failure: DeliveryFailure): void {
    if (!this.isAwaited(call)) return;
    this.#failSent(call.id, undeliverableError(call, this.place, failure));
  }

  isAwaited(call: Call): boolean {
    return this.#calls.get(call.id) === call;
  }

  get respite(): RetryAfter {
    return this.#owner.failures.respite;
  }

  inputSchemaOf(tool: string): unknown {
    return this.catalogue.ownSchemaOf(tool);
  }

  /** A server with a new session may offer something else than before. */
  onRenewed(): void {
    for (const list of ["tools", "prompts", "resources"]) {
      const method = `notifications/${list}/list_changed`;
      if (this.hello.capabilities[list] !== undefined)
        this.#events.onNotification({ method, params: {} }, undefined);
    }
  }

  /** Why the server ended the connection; undefined if it did not. */
  loss: readonly [reason: string, code: string | undefined] | undefined;

  onLost(reason: string, code?: string): void {
    const output = this.stderrTail().join(" | ");
    const told = output === "" ? reason : `${reason}. Its last output: ${output}`;
    this.loss = [told, code];
    this.#end((call) => lostError(call, this.place, told, code));
    this.#events.onLost(told, code);
  }

  #failSent(id: number, error: WorkbenchError): void {
    const call = this.#takeSent(id);
    if (call !== undefined) this.#fail(call, error);
  }

  /** A call failed, and the connection stays open. */
  #fail(call: Call, error: WorkbenchError): void {
    this.#owner.failures.callFailed(call, error);
    this.#tell(call, error);
  }

  #tell(call: Call, error: WorkbenchError): void {
    complete(call, { kind: "failure", error });
  }

  #notified(notification: IncomingNotification, about: Call | undefined): void {
    const { method, params } = notification;
    const subscription = subscriptionOf(params);
    if (subscription !== undefined) {
      // The subscription may have ended in the meantime, and other calls do not subscribe.
      const call = this.#calls.get(subscription);
      if (call?.isStream) call.caller.onCallNotification?.(call, notification);
      return;
    }
    if (method !== "notifications/progress")
      return this.#events.onNotification(notification, about);
    // Servers identify calls by our ids. Once a call has ended, its id means nothing to any client.
    const call = this.#calls.get(params["progressToken"]);
    if (call?.progressToken === undefined) return;
    if (call.openRequests === 0) this.#restartClock(call);
    call.caller.onProgress(call, notification);
  }

  #restartClock(call: Call): void {
    call.deadline = performance.now() + this.#owner.settings.timeouts.callMs;
  }

  /**
   * Removes a sent call from the table. A response to a call that still waits for its slot is
   * ignored: its id was guessed.
   */
  #takeSent(id: number): Call | undefined {
    const call = this.#calls.get(id);
    if (call === undefined || call.state !== "sent") return undefined;
    this.#calls.remove(call);
    this.#slots.release(call);
    return call;
  }

  /** Cancels a call that is no longer in the table. */
  #withdraw(call: Call, reason: unknown): void {
    if (call.state !== "sent") {
      this.#slots.forget(call);
      return;
    }
    this.#slots.release(call);
    if (this.#closed || this.#channel.abandon(call)) return;
    this.send(notificationText("notifications/cancelled", { requestId: call.id, reason }));
  }

  readonly #onSweep = (): void => {
    this.#sweep = undefined;
    const now = performance.now();
    for (const call of this.#calls.takeExpired(now)) {
      const reason = timeoutReason(call, now, this.#owner.settings.timeouts);
      const sent = call.state === "sent";
      this.#withdraw(call, reason);
      this.#fail(call, timeoutError(call, this.place, reason, now, sent));
    }
    if (this.#calls.waiting > 0) this.#sweep = setTimeout(this.#onSweep, SWEEP_MS);
  };

  #end(errorOf: (call: Call) => WorkbenchError): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#sweep);
    const errors = Array.from(this.#calls.takeAll(), (call) => [call, errorOf(call)] as const);
    this.#slots.clear();
    for (const question of this.questions) question.withdraw("the server is gone");
    for (const [call, error] of errors) {
      call.state = "returned";
      this.#tell(call, error);
    }
  }
}
