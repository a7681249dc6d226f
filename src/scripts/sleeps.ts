import type { GuestRequest } from "./engine/engine.ts";

const MAX_MS = 0x7f_ff_ff_ff;

/** The times that a script sleeps. They pass outside its thread, which others can use. */
export class Sleeps {
  readonly #onEnd: (id: number) => void;
  readonly #open = new Map<number, { readonly timer: NodeJS.Timeout; readonly endsAt: number }>();

  constructor(onEnd: (id: number) => void) {
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#open.size;
  }

  start(id: number, ms: number): void {
    const time = Math.max(1, Math.min(ms, MAX_MS));
    const timer = setTimeout(() => {
      this.#open.delete(id);
      this.#onEnd(id);
    }, time);
    this.#open.set(id, { timer, endsAt: performance.now() + time });
  }

  /** Requests of which those to sleep have the time that is left. */
  shortened(requests: readonly GuestRequest[]): GuestRequest[] {
    return requests.map((request) => {
      const open = this.#open.get(request.id);
      if (open === undefined) return request;
      return { ...request, subject: String(Math.max(0, open.endsAt - performance.now())) };
    });
  }

  clear(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
  }
}
