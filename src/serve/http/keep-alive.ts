/** One timer that keeps all open connections alive. */

export interface KeepAliveTarget {
  ping(): void;
}

export class KeepAlive {
  readonly #members = new Set<KeepAliveTarget>();
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => {
      for (const member of this.#members) member.ping();
    }, everyMs).unref();
  }

  add(member: KeepAliveTarget): void {
    this.#members.add(member);
  }

  remove(member: KeepAliveTarget): void {
    this.#members.delete(member);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
