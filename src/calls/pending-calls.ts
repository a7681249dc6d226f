import type { ServerSettings } from "../config/types.ts";
import type { WorkbenchError } from "../errors.ts";
import { type IncomingNotification, notificationText } from "../wire/messages.ts";
import type { Call, CallRegistry, Route } from "./call.ts";
import type { ClientTurns } from "./client-turns.ts";
import { lostError, notReading, queueFull, timeoutError, timeoutReason } from "./call-errors.ts";
import { fail } from "./dispatch.ts";
import { NumberedTable } from "./numbered-table.ts";
import { complete } from "./settle.ts";

const SWEEP_MS = 250;

/** The connection that carries the calls. */
export interface CallCarrier extends Route {
  /** Sends a notification. */
  send(message: string): void;
}

/** What the calls are sent through. */
export interface CallChannel {
  /** Bytes that the server has not read yet. */
  readonly backlog: number;
  send(message: string, call: Call): void;
  /** The caller gave the request up. True if the channel itself notifies the server. */
  abandon(call: Call): boolean;
}

/** The server the calls go to; its settings may change while calls are pending. */
export interface CallServer {
  readonly settings: Pick<ServerSettings, "limits" | "timeouts">;
  readonly failures: { callFailed(call: Call, error: WorkbenchError): void };
}

/** Why no more answers come, with the stable name of the cause if it has one. */
export type EndReason = readonly [reason: string, code?: string | undefined];

/**
 * The calls on one connection that have not been answered: their ids, slots and deadlines. Every
 * call that was registered is answered, failed, or cancelled by its caller, exactly once. Ids are
 * never reused, so a late or repeated answer is not found and is dropped.
 */
export class PendingCalls implements CallRegistry {
  /** When a call was registered last. */
  lastUsed = performance.now();
  /** Decides when calls of different clients are sent, in a shared workbench. */
  turns: ClientTurns | undefined;
  readonly #carrier: CallCarrier;
  readonly #server: CallServer;
  #channel: CallChannel;
  readonly #calls = new NumberedTable<Call>();
  #nextId = 1;
  /** How many of the calls are streams. */
  #streams = 0;
  /** How many calls the server works on. */
  #taken = 0;
  readonly #queue = new CallQueue();
  #sweep: NodeJS.Timeout | undefined;
  #ended: EndReason | undefined;

  constructor(carrier: CallCarrier, server: CallServer, channel: CallChannel) {
    this.#carrier = carrier;
    this.#server = server;
    this.#channel = channel;
  }

  /** The connection is open: calls are sent through this channel from now on. */
  attach(channel: CallChannel): void {
    this.#channel = channel;
  }

  /** True once the connection has ended and takes no more calls. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** The number of calls whose caller waits for the answer. */
  get waiting(): number {
    return this.#calls.size - this.#streams;
  }

  /** The id of the call the server works on, if there is exactly one. */
  get onlySentId(): number | undefined {
    const sent = [...this.inFlight()].filter(({ isStream }) => !isStream);
    return sent.length === 1 ? sent[0]?.id : undefined;
  }

  values(): Call[] {
    return this.#calls.values();
  }

  /** The calls that were sent, in the order of their registration; the others still wait for a slot. */
  *inFlight(): Generator<Call> {
    for (const call of this.#calls.values()) if (call.state === "sent") yield call;
  }

  isAwaited(call: Call): boolean {
    return this.#calls.get(call.id) === call;
  }

  register(call: Call, hasTimeLimit = true): WorkbenchError | undefined {
    const { place } = this.#carrier;
    if (this.#ended !== undefined) return lostError(call, place, ...this.#ended);
    const { timeouts, limits } = this.#server.settings;
    const refusal = this.#mustWait(call, true) ? queueFull(place, limits, this.#queue) : undefined;
    if (refusal !== undefined) return refusal;
    if (this.#channel.backlog > limits.messageBytes) return notReading(place);
    const now = performance.now();
    this.lastUsed = now;
    call.startedAt = now;
    call.deadline = hasTimeLimit ? now + timeouts.callMs : Infinity;
    call.totalDeadline = hasTimeLimit ? now + timeouts.totalMs : Infinity;
    call.state = "queued";
    this.#add(call);
    this.#sweep ??= setTimeout(this.#onSweep, SWEEP_MS);
    return undefined;
  }

  /** Sends a registered call, immediately or when there is a slot. */
  submit(call: Call, message: string): void {
    if (this.#mustWait(call, true)) this.#queue.add(call, message);
    else this.#send(call, message);
  }

  /** Sends a request that stays open as long as the connection. */
  openStream(call: Call, messageOf: (id: number) => string): void {
    if (this.#ended !== undefined) return;
    call.isStream = true;
    call.deadline = Infinity;
    call.totalDeadline = Infinity;
    this.#streams++;
    this.#add(call);
    call.state = "sent";
    this.#channel.send(messageOf(call.id), call);
  }

  cancel(call: Call, reason: unknown): void {
    if (!this.isAwaited(call)) return;
    this.#remove(call);
    this.#withdraw(call, reason);
  }

  /** The server waits for the caller, so the time it has for an answer does not run. */
  pause(call: Call): void {
    call.openRequests++;
    call.deadline = call.totalDeadline;
  }

  /** The caller has answered a request of the server. */
  proceed(call: Call): void {
    if (--call.openRequests === 0) this.#restartClock(call);
  }

  onProgress(notification: IncomingNotification): void {
    // Servers identify calls by our ids. Once a call has ended, its id means nothing to any client.
    const call = this.#find(notification.params["progressToken"]);
    if (call?.progressToken === undefined) return;
    if (call.openRequests === 0) this.#restartClock(call);
    call.caller.onProgress(call, notification);
  }

  /** Takes a notification of a stream. One that has ended has no receiver. */
  onStreamNotification(id: unknown, notification: IncomingNotification): void {
    const call = this.#find(id);
    if (call?.isStream) call.caller.onCallNotification?.(call, notification);
  }

  /**
   * Takes out a call that was sent, since its answer is there. An answer to a call that still waits
   * for a slot cannot be genuine: the server guessed the id.
   */
  takeSent(id: number): Call | undefined {
    const call = this.#calls.get(id);
    if (call === undefined) this.turns?.onLateAnswer(id);
    if (call === undefined || call.state !== "sent") return undefined;
    this.#remove(call);
    this.turns?.onAnswered(call);
    this.#release(call);
    return call;
  }

  /** A call that was sent fails, and the connection stays open. */
  failSent(id: number, error: WorkbenchError): void {
    const call = this.takeSent(id);
    if (call !== undefined) this.#fail(call, error);
  }

  /**
   * Takes no more calls; `later` is why, for those who still try. Returns what fails the calls
   * that are pending.
   */
  end(reason: EndReason, later: EndReason = reason): () => void {
    this.#ended = later;
    clearTimeout(this.#sweep);
    const { place } = this.#carrier;
    const failed = this.#calls
      .values()
      .map((call) => [call, lostError(call, place, ...reason)] as const);
    this.#calls.clear();
    this.#streams = 0;
    this.#taken = 0;
    this.#queue.clear();
    return () => {
      for (const [call, error] of failed) {
        call.state = "returned";
        complete(call, { kind: "failure", error });
      }
    };
  }

  #add(call: Call): void {
    call.id = this.#nextId++;
    call.route = this.#carrier;
    this.#calls.set(call.id, call);
  }

  #remove(call: Call): void {
    this.#calls.delete(call.id);
    if (call.isStream) this.#streams--;
  }

  #find(id: unknown): Call | undefined {
    return typeof id === "number" ? this.#calls.get(id) : undefined;
  }

  get #isFull(): boolean {
    return this.#taken >= this.#server.settings.limits.concurrency;
  }

  /** Whether a call cannot be sent now; a new one comes after those that wait already. */
  #mustWait(call: Call, isNew: boolean): boolean {
    if (this.#isFull) return true;
    if (this.turns === undefined || this.#carrier.hello.era === "modern") return false;
    return this.turns.mustWait(call, isNew && this.#queue.size > 0);
  }

  #send(call: Call, message: string): void {
    this.#taken++;
    call.state = "sent";
    this.#channel.send(message, call);
  }

  /** Frees the slot of a call and sends those that waited for it. */
  #release(call: Call): void {
    if (call.state !== "sent" || call.isStream) return;
    call.state = "returned";
    this.#taken--;
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    for (let next = this.#queue.first; next !== undefined; next = this.#queue.first) {
      const [call, message] = next;
      // A call that has expired is out of the table before it is out of the queue.
      const isAwaited = this.isAwaited(call);
      if (isAwaited && this.#mustWait(call, false)) return;
      this.#queue.delete(call);
      if (isAwaited) this.#send(call, message);
    }
  }

  #fail(call: Call, error: WorkbenchError): void {
    this.#server.failures.callFailed(call, error);
    fail(call, error);
  }

  #restartClock(call: Call): void {
    call.deadline = performance.now() + this.#server.settings.timeouts.callMs;
  }

  /** Takes back a call that is out of the table already. */
  #withdraw(call: Call, reason: unknown): void {
    if (call.state !== "sent") {
      this.#queue.delete(call);
      this.#sendWaiting();
      return;
    }
    this.turns?.onGivenUp(call, this.#server.settings.timeouts.callMs);
    this.#release(call);
    if (this.#ended !== undefined || this.#channel.abandon(call)) return;
    const params = { requestId: call.id, reason };
    this.#carrier.send(notificationText("notifications/cancelled", params));
  }

  readonly #onSweep = (): void => {
    this.#sweep = undefined;
    const now = performance.now();
    const expired = this.#calls
      .values()
      .filter(({ deadline, totalDeadline }) => now >= deadline || now >= totalDeadline);
    for (const call of expired) this.#remove(call);
    for (const call of expired) {
      const reason = timeoutReason(call, now, this.#server.settings.timeouts);
      const wasSent = call.state === "sent";
      this.#withdraw(call, reason);
      this.#fail(call, timeoutError(call, this.#carrier.place, reason, now, wasSent));
    }
    this.#sendWaiting();
    if (this.waiting > 0) this.#sweep = setTimeout(this.#onSweep, SWEEP_MS);
  };
}

/** The calls that wait for a slot, with their messages, in the order of their ids. */
class CallQueue {
  readonly #waiting = new NumberedTable<readonly [call: Call, message: string]>();
  /** No call with a smaller id waits. */
  #firstId = 0;
  /** The memory taken by the messages, in characters. */
  chars = 0;

  get size(): number {
    return this.#waiting.size;
  }

  /** The call that has waited longest. */
  get first(): readonly [Call, string] | undefined {
    if (this.size === 0) return undefined;
    for (;;) {
      const waiting = this.#waiting.get(this.#firstId);
      if (waiting !== undefined) return waiting;
      this.#firstId++;
    }
  }

  add(call: Call, message: string): void {
    this.#firstId = this.size === 0 ? call.id : Math.min(this.#firstId, call.id);
    this.#waiting.set(call.id, [call, message]);
    this.chars += message.length;
  }

  delete({ id }: Call): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    this.chars -= waiting[1].length;
  }

  clear(): void {
    this.#waiting.clear();
    this.chars = 0;
  }
}
