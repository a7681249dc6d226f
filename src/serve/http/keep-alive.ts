import { NumberedTable } from "../../calls/numbered-table.ts";

export interface KeepAliveTarget {
  ping(): void;
}

/** One timer that keeps all open connections alive. */
export class KeepAlive {
  readonly #members = new NumberedTable<KeepAliveTarget>();
  #added = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => {
      for (const member of this.#members.values()) member.ping();
    }, everyMs).unref();
  }

  /** Returns the number with which the member can be removed. */
  add(member: KeepAliveTarget): number {
    this.#members.set(++this.#added, member);
    return this.#added;
  }

  remove(number: number): void {
    this.#members.delete(number);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
