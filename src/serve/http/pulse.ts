/** One timer for everything that waits on a connection. */

export interface Beating {
  beat(): void;
}

export class Pulse {
  readonly #members = new Set<Beating>();
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => {
      for (const member of this.#members) member.beat();
    }, everyMs).unref();
  }

  add(member: Beating): void {
    this.#members.add(member);
  }

  remove(member: Beating): void {
    this.#members.delete(member);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
