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
