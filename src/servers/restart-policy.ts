/**
 * When a failed server may be started again. The first failure costs nothing: the next call starts
 * the server at once. After that the wait doubles, up to half a minute, or four seconds for a
 * server with a URL: a process is expensive to start, a connection is not, and callers should not
 * wait longer than the server needs. Jitter keeps many servers from returning in step. Only a run
 * that lasted for the stability window resets the count; a successful handshake does not, or a
 * server that dies right after it would be restarted forever. The policy never gives up.
 *
 * Clients may have processes of their own ("isolation": "session"). Each process has its own run
 * time, but failures belong to the server: if all processes die at once, that is one failure, and a
 * failing server is started at most five times in ten seconds, however many clients need it.
 */

const FIRST_DELAY_MS = 1000;
/** The longest pause between two attempts, apart from jitter. */
export const MAX_PAUSE_MS = { process: 30_000, remote: 4000 } as const;
/** A `Retry-After` of this length or longer is used unchanged. */
const ASKED_MS = 3000;
const STABLE_MS = 60_000;
const JITTER = 0.2;
export const MAX_STARTS = 5;
const STARTS_WITHIN_MS = 10_000;

export class RestartPolicy {
  readonly #longestMs: number;
  readonly #random: () => number;
  #failures = 0;
  #notBefore = 0;
  /** The start times of the last processes, up to the number allowed within the time. */
  readonly #starts: number[] = [];

  constructor(longestMs: number = MAX_PAUSE_MS.process, random: () => number = Math.random) {
    this.#longestMs = longestMs;
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds until the next start is allowed; 0 means now. */
  waitMs(now: number): number {
    if (this.#failures === 0) return 0;
    const [first] = this.#starts;
    const tooMany = first !== undefined && this.#starts.length === MAX_STARTS;
    const within = tooMany ? first + STARTS_WITHIN_MS + 1 : 0;
    return Math.max(0, this.#notBefore - now, within - now);
  }

  started(now: number): void {
    this.#starts.push(now);
    if (this.#starts.length > MAX_STARTS) this.#starts.shift();
  }

  /**
   * The process started at this time failed or exited; `askedMs` is the pause the server asked for.
   * It takes precedence, but short pauses are stretched a little, so that the allowed starts are
   * not used up at once.
   */
  failed(now: number, startedAt: number, askedMs = 0): void {
    if (now - startedAt >= STABLE_MS) this.#failures = 0;
    // Other connections failed together with one that was reported just before.
    else if (now < this.#notBefore) return;
    this.#failures++;
    const delay = this.#delay();
    this.#notBefore = now + (askedMs > 0 ? Math.max(askedMs, Math.min(delay, ASKED_MS)) : delay);
  }

  #delay(): number {
    if (this.#failures < 2) return 0;
    const delay = Math.min(this.#longestMs, FIRST_DELAY_MS * 2 ** Math.min(this.#failures - 2, 10));
    return delay * (1 + JITTER * (2 * this.#random() - 1));
  }
}
