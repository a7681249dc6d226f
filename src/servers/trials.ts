import { MAX_STARTS } from "./restart-policy.ts";

/**
 * The attempts to connect a server. Many clients may need their own connections at the same time;
 * until the server has started once, the number of parallel attempts is limited.
 */
export class Trials {
  readonly #isOneAtATime: () => boolean;
  /** The attempts in progress; they never reject. */
  readonly #underWay = new Set<Promise<void>>();
  #hasStarted = false;

  constructor(isOneAtATime: () => boolean) {
    this.#isOneAtATime = isOneAtATime;
  }

  get isFull(): boolean {
    const max = this.#isOneAtATime() ? 1 : MAX_STARTS;
    return !this.#hasStarted && this.#underWay.size >= max;
  }

  /** Resolves when another attempt may be possible. */
  async turn(): Promise<void> {
    if (this.isFull) await Promise.race(this.#underWay);
  }

  follow(attempt: Promise<unknown>): void {
    const cameUp = (): void => void (this.#hasStarted = true);
    const settled = attempt.then(cameUp, () => {});
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
  }
}
