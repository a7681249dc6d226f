/**
 * When a server that failed may be started again. The first failure costs nothing: the next call
 * starts it at once. After that the wait doubles up to half a minute, for a server with a url up to
 * four seconds: a process costs something to start, a connection hardly anything, and whoever waits
 * for a server to return should not wait for us. Jitter keeps many servers from returning in step.
 * Only a run that lasted for the stability window clears the count;
 * a successful handshake does not, or a server that dies right after it would be restarted for
 * ever. There is no final give-up.
 *
 * Clients may have processes of their own ("isolation": "session"). How long each of them ran is its
 * own matter, the failures are those of the server: that all of them die at once is one failure, and
 * a server that fails is started five times in ten seconds at most, whoever asks for it.
 */

const FIRST_DELAY_MS = 1000;
/** The longest pause between two tries, give or take the jitter. */
export const MAX_PAUSE_MS = { process: 30_000, remote: 4000 } as const;
/** A wish to be left alone for this long or longer is taken literally. */
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
  /** When the last processes were started, as many as there may be within the time. */
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
   * What was started at this time could not serve, or ended by itself; `askedMs` is how long it
   * wants to be left alone. That decides, except that shorter wishes are stretched a little, so that
   * the starts that are allowed are not all spent at once.
   */
  failed(now: number, startedAt: number, askedMs = 0): void {
    if (now - startedAt >= STABLE_MS) this.#failures = 0;
    // Others fell together with one that was noticed just before.
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
