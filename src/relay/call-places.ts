import type { Call } from "./call.ts";

interface Owner {
  /** How many calls may be with the server at the same time. */
  concurrency(): number;
  send(call: Call, message: string): void;
  /** False for a call that has ended while it waited. */
  isWanted(call: Call): boolean;
}

/** Which calls are with the server, and which wait until one of them has ended. */
export class CallPlaces {
  /** How many calls are with the server. */
  running = 0;
  readonly #owner: Owner;
  /** The calls that wait, with what will be sent, in the order they came. */
  readonly #queue = new Map<Call, string>();
  /** Goes along the queue, so that its beginning need not be searched among what has left it. */
  #upcoming = this.#queue.entries();

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  get full(): boolean {
    return this.running >= this.#owner.concurrency();
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** How much memory the calls that wait take, in characters. */
  get queuedChars(): number {
    let chars = 0;
    for (const message of this.#queue.values()) chars += message.length;
    return chars;
  }

  /** Sends the call, at once or when there is a place for it. */
  enter(call: Call, message: string): void {
    if (this.full) {
      this.#queue.set(call, message);
      return;
    }
    this.running++;
    call.running = true;
    this.#owner.send(call, message);
  }

  /** A call has ended; if it was with the server, one that waits goes in its place. */
  leave(call: Call): void {
    if (!call.running) return;
    call.running = false;
    this.running--;
    let next = this.#next();
    while (next !== undefined && !this.#owner.isWanted(next[0])) next = this.#next();
    if (next !== undefined) this.enter(...next);
  }

  /** A call that waits is not to be sent any more. */
  forget(call: Call): void {
    this.#queue.delete(call);
  }

  clear(): void {
    this.running = 0;
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
