import type { ServerSettings } from "../config/types.ts";
import type { WorkbenchError } from "../errors.ts";
import { type IncomingNotification, notificationText } from "../wire/messages.ts";
import type { Call, CallRegistry, Route } from "./call.ts";
import { lostError, notReading, queueFull, timeoutError, timeoutReason } from "./call-errors.ts";
import { CallSlots, CallTable } from "./call-table.ts";
import { fail } from "./dispatch.ts";
import { complete } from "./settle.ts";

const SWEEP_MS = 250;

/** The connection that carries the calls. */
export interface CallCarrier extends Route {
  /** False until the handshake is done. */
  readonly isReady: boolean;
  readonly channel: {
    /** Bytes that the server has not read yet. */
    readonly backlog: number;
    send(message: string, call: Call): void;
    /** The caller gave the request up. True if the channel itself tells the server. */
    abandon(call: Call): boolean;
  };
  /** Sends a notification. */
  send(message: string): void;
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
 * call that was registered is answered, failed, or cancelled by its caller, exactly once.
 */
export class PendingCalls implements CallRegistry {
  /** When a call was registered last. */
  lastUsed = performance.now();
  readonly #carrier: CallCarrier;
  readonly #server: CallServer;
  readonly #table = new CallTable();
  readonly #slots: CallSlots;
  #sweep: NodeJS.Timeout | undefined;
  #ended: EndReason | undefined;

  constructor(carrier: CallCarrier, server: CallServer) {
    this.#carrier = carrier;
    this.#server = server;
    this.#slots = new CallSlots({
      concurrency: () => server.settings.limits.concurrency,
      send: (call, message) => carrier.channel.send(message, call),
      awaits: (call) => this.isAwaited(call),
    });
  }

  /** How many calls a caller waits for. */
  get waiting(): number {
    return this.#table.waiting;
  }

  /** The id of the call the server works on, if there is only one. */
  get onlySentId(): number | undefined {
    return this.#table.onlySentId;
  }

  values(): IterableIterator<Call> {
    return this.#table.values();
  }

  /** The calls that were sent; the others still wait for a slot. */
  *inFlight(): Generator<Call> {
    for (const call of this.#table.values()) if (call.state === "sent") yield call;
  }

  isAwaited(call: Call): boolean {
    return this.#table.get(call.id) === call;
  }

  register(call: Call): WorkbenchError | undefined {
    const { place, isReady, channel } = this.#carrier;
    if (this.#ended !== undefined) return lostError(call, place, ...this.#ended);
    const { timeouts, limits } = this.#server.settings;
    const refusal = this.#slots.isFull ? queueFull(place, limits, this.#slots) : undefined;
    if (refusal !== undefined) return refusal;
    if (channel.backlog > limits.messageBytes) return notReading(place);
    const now = performance.now();
    this.lastUsed = now;
    // The handshake as a whole has a time limit, so its calls need none.
    const { callMs, totalMs } = timeouts;
    if (isReady) this.#table.add(call, now, callMs, totalMs);
    else this.#table.add(call, now, Infinity, Infinity);
    call.route = this.#carrier;
    this.#sweep ??= setTimeout(this.#onSweep, SWEEP_MS);
    return undefined;
  }

  submit(call: Call, message: string): void {
    this.#slots.acquire(call, message);
  }

  /** Sends a request that stays open as long as the connection. */
  openStream(call: Call, messageOf: (id: number) => string): void {
    if (this.#ended !== undefined) return;
    this.#table.addStream(call);
    call.route = this.#carrier;
    call.state = "sent";
    this.#carrier.channel.send(messageOf(call.id), call);
  }

  cancel(call: Call, reason: unknown): void {
    if (this.#table.take(call.id) !== undefined) this.#withdraw(call, reason);
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
    const call = this.#table.get(notification.params["progressToken"]);
    if (call?.progressToken === undefined) return;
    if (call.openRequests === 0) this.#restartClock(call);
    call.caller.onProgress(call, notification);
  }

  /** Takes a notification of a stream. One that has ended has no receiver. */
  onStreamNotification(id: unknown, notification: IncomingNotification): void {
    const call = this.#table.get(id);
    if (call?.isStream) call.caller.onCallNotification?.(call, notification);
  }

  /**
   * Takes out a call that was sent, since its answer is there. An answer to a call that still waits
   * for a slot cannot be genuine: the server guessed the id.
   */
  takeSent(id: number): Call | undefined {
    const call = this.#table.get(id);
    if (call === undefined || call.state !== "sent") return undefined;
    this.#table.remove(call);
    this.#slots.release(call);
    return call;
  }

  /** A call that was sent fails, and the connection goes on. */
  failSent(id: number, error: WorkbenchError): void {
    const call = this.takeSent(id);
    if (call !== undefined) this.#fail(call, error);
  }

  /**
   * Takes no calls any more; `later` is why, for those who still try. Returns what fails the calls
   * that are pending.
   */
  end(reason: EndReason, later: EndReason = reason): () => void {
    this.#ended = later;
    clearTimeout(this.#sweep);
    const { place } = this.#carrier;
    const failed = Array.from(
      this.#table.takeAll(),
      (call) => [call, lostError(call, place, ...reason)] as const,
    );
    this.#slots.clear();
    return () => {
      for (const [call, error] of failed) {
        call.state = "returned";
        complete(call, { kind: "failure", error });
      }
    };
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
      this.#slots.forget(call);
      return;
    }
    this.#slots.release(call);
    if (this.#ended !== undefined || this.#carrier.channel.abandon(call)) return;
    const params = { requestId: call.id, reason };
    this.#carrier.send(notificationText("notifications/cancelled", params));
  }

  readonly #onSweep = (): void => {
    this.#sweep = undefined;
    const now = performance.now();
    for (const call of this.#table.takeExpired(now)) {
      const reason = timeoutReason(call, now, this.#server.settings.timeouts);
      const wasSent = call.state === "sent";
      this.#withdraw(call, reason);
      this.#fail(call, timeoutError(call, this.#carrier.place, reason, now, wasSent));
    }
    if (this.#table.waiting > 0) this.#sweep = setTimeout(this.#onSweep, SWEEP_MS);
  };
}
