import type { Call } from "./call.ts";

export interface SlotOwner {
  /** How many calls may be with the server at the same time. */
  concurrency(): number;
  send(call: Call, message: string): void;
  /** False for a call that has ended while it waited. */
  awaits(call: Call): boolean;
}

/** Limits how many calls are with a server at the same time; the others wait for a slot. */
export class CallSlots {
  #taken = 0;
  readonly #owner: SlotOwner;
  /** The calls that wait, with the messages to send, in the order they came. */
  readonly #queue = new Map<Call, string>();
  /** Walks along the queue, so that finding its start does not mean skipping what has left it. */
  #upcoming = this.#queue.entries();

  constructor(owner: SlotOwner) {
    this.#owner = owner;
  }

  /** How many calls are with the server. */
  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return this.#taken >= this.#owner.concurrency();
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** How much memory the waiting calls take, in characters. */
  get queuedChars(): number {
    let chars = 0;
    for (const message of this.#queue.values()) chars += message.length;
    return chars;
  }

  /** Sends the call, at once or when there is a slot. */
  acquire(call: Call, message: string): void {
    if (this.isFull) {
      this.#queue.set(call, message);
      return;
    }
    this.#taken++;
    call.state = "sent";
    this.#owner.send(call, message);
  }

  /** The server is done with a call: the next one that waits is sent. */
  release(call: Call): void {
    if (call.state !== "sent" || call.isStream) return;
    call.state = "returned";
    this.#taken--;
    let next = this.#next();
    while (next !== undefined && !this.#owner.awaits(next[0])) next = this.#next();
    if (next !== undefined) this.acquire(...next);
  }

  /** A call that waits for a slot is not wanted any longer. */
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
