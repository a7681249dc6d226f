/** One timer for everything that waits on a connection. */

export interface Beating {
  beat(): void;
}

/** Shorter than what clients and proxies usually allow a connection to be silent. */
const BEAT_MS = 15_000;

export class Pulse {
  readonly #members = new Set<Beating>();
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs = BEAT_MS) {
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
