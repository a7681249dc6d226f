import type { Call } from "./call.ts";

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
