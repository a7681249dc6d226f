import type { Call } from "./call.ts";

/**
 * The calls that a server has not answered yet, by their id on the connection. Ids are never reused
 * on a connection, so a late or repeated answer is not found and is dropped.
 */
export class CallTable {
  readonly #calls = new Map<number, Call>();
  #nextId = 1;
  #streams = 0;

  add(call: Call, now: number, callMs: number, totalMs: number): void {
    call.startedAt = now;
    call.deadline = now + callMs;
    call.totalDeadline = now + totalMs;
    call.state = "queued";
    this.#assignId(call);
  }

  /** Adds a request that stays open as long as the connection. */
  addStream(call: Call): void {
    call.isStream = true;
    call.deadline = Infinity;
    call.totalDeadline = Infinity;
    this.#streams++;
    this.#assignId(call);
  }

  /** The number of calls whose caller waits for the answer. */
  get waiting(): number {
    return this.#calls.size - this.#streams;
  }

  /** The id of the call the server works on, if there is exactly one. */
  get onlySentId(): number | undefined {
    const sent = [...this.#calls.values()].filter(
      ({ state, isStream }) => state === "sent" && !isStream,
    );
    return sent.length === 1 ? sent[0]?.id : undefined;
  }

  #assignId(call: Call): void {
    call.id = this.#nextId++;
    this.#calls.set(call.id, call);
  }

  get(id: unknown): Call | undefined {
    return typeof id === "number" ? this.#calls.get(id) : undefined;
  }

  /**
   * Removes and returns the call with this id; undefined if it was answered, cancelled or never
   * made.
   */
  take(id: number): Call | undefined {
    const call = this.#calls.get(id);
    if (call !== undefined) this.remove(call);
    return call;
  }

  takeAll(): Call[] {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.#streams = 0;
    return calls;
  }

  takeExpired(now: number): Call[] {
    const expired: Call[] = [];
    for (const call of this.#calls.values())
      if (now >= call.deadline || now >= call.totalDeadline) expired.push(call);
    for (const call of expired) this.remove(call);
    return expired;
  }

  remove(call: Call): void {
    this.#calls.delete(call.id);
    if (call.isStream) this.#streams--;
  }

  values(): IterableIterator<Call> {
    return this.#calls.values();
  }
}

export interface SlotOwner {
  /** The maximum number of calls that a server works on at the same time. */
  concurrency(): number;
  send(call: Call, message: string): void;
  /** False for a call that ended while it waited. */
  awaits(call: Call): boolean;
}

/** Limits how many calls a server works on at the same time; the others wait for a slot. */
export class CallSlots {
  #taken = 0;
  readonly #owner: SlotOwner;
  /** The waiting calls and their messages, in order of arrival. */
  readonly #queue = new Map<Call, string>();
  /** An iterator over the queue, so that finding its start does not skip deleted entries. */
  #upcoming = this.#queue.entries();

  constructor(owner: SlotOwner) {
    this.#owner = owner;
  }

  /** The number of calls that the server works on. */
  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return this.#taken >= this.#owner.concurrency();
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** The memory taken by waiting calls, in characters. */
  get queuedChars(): number {
    let chars = 0;
    for (const message of this.#queue.values()) chars += message.length;
    return chars;
  }

  /** Sends the call, immediately or when there is a slot. */
  acquire(call: Call, message: string): void {
    if (this.isFull) {
      this.#queue.set(call, message);
      return;
    }
    this.#taken++;
    call.state = "sent";
    this.#owner.send(call, message);
  }

  /** Frees the slot of a finished call and sends the next waiting one. */
  release(call: Call): void {
    if (call.state !== "sent" || call.isStream) return;
    call.state = "returned";
    this.#taken--;
    let next = this.#next();
    while (next !== undefined && !this.#owner.awaits(next[0])) next = this.#next();
    if (next !== undefined) this.acquire(...next);
  }

  /** Removes a waiting call that is no longer needed. */
  forget(call: Call): void {
    this.#queue.delete(call);
  }

  clear(): void {
    this.#taken = 0;
    this.#queue.clear();
  }

  #next(): [Call, string] | undefined {
    if (this.#queue.size === 0) return undefined;
    let next = this.#upcoming.next().value;
    if (next === undefined) {
      this.#upcoming = this.#queue.entries();
      next = this.#upcoming.next().value;
    }
    if (next !== undefined) this.#queue.delete(next[0]);
    return next;
  }
}
