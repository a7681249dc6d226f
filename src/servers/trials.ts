import { MAX_STARTS } from "./restart-policy.ts";

/**
 * The attempts to connect a server. Many clients may need their own connections at the same time;
 * until the server has started once, the number of parallel attempts is limited.
 */
export class Trials {
  /** The attempts in progress; they never reject. */
  readonly #underWay = new Set<Promise<void>>();
  #hasComeUp = false;

  get isFull(): boolean {
    return !this.#hasComeUp && this.#underWay.size >= MAX_STARTS;
  }

  /** Resolves when another attempt may be made. */
  async turn(): Promise<void> {
    while (this.isFull) await Promise.race(this.#underWay);
  }

  follow(attempt: Promise<unknown>): void {
    const cameUp = (): void => void (this.#hasComeUp = true);
    const settled = attempt.then(cameUp, () => {});
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
  }
}
