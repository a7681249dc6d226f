/**
 * When a server that failed may be started again. The first failure costs nothing: the next call
 * starts it at once. After that the wait doubles up to half a minute, with jitter so that many
 * servers do not return in step. Only a run that lasted for the stability window clears the count;
 * a successful handshake does not, or a server that dies right after it would be restarted for
 * ever. There is no final give-up.
 */

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
const STABLE_MS = 60_000;
const JITTER = 0.2;

export class RestartPolicy {
  readonly #random: () => number;
  #failures = 0;
  #notBefore = 0;
  #startedAt = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds until the next start is allowed; 0 means now. */
  waitMs(now: number): number {
    return Math.max(0, this.#notBefore - now);
  }

  started(now: number): void {
    this.#startedAt = now;
  }

  /** The server could not be started, or ended by itself. */
  failed(now: number): void {
    if (now - this.#startedAt >= STABLE_MS) this.#failures = 0;
    this.#failures++;
    this.#notBefore = now + this.#delay();
  }

  #delay(): number {
    if (this.#failures < 2) return 0;
    const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(this.#failures - 2, 10));
    return delay * (1 + JITTER * (2 * this.#random() - 1));
  }
}
