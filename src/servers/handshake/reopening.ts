/**
 * When a stream on which a server tells of changes is opened again: as long as there is hope, and
 * ever more seldom. A server would not be heard any more if one fault ended it for good.
 */

/** How long to wait where the server does not say. */
const RETRY_MS = 1000;
/** A server that wishes for no delay must not make us reconnect in a tight loop. */
const MIN_RETRY_MS = 20;
const MAX_RETRY_MS = 30_000;
/** Up to this much is added, so that many streams to a server do not return in step. */
const JITTER = 0.2;
/** From this many connections in a row that brought nothing, the delay doubles with each further one. */
const PATIENCE = 3;
/** A connection that lasted this long was worth its while, even if there was nothing to say. */
const STEADY_MS = 10_000;

/** Says "later" about whatever was asked for. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429]);
/** Says that there is no such thing. */
const NOT_OFFERED: ReadonlySet<number> = new Set([405, 501]);

/**
 * Whether a stream that was refused with this status may be had later; undefined if there was no
 * response. Of one that has worked before it is known that the server offers it, so a refusal for
 * want of credentials or of a session passes as well.
 */
export function mayBeHadLater(status: number | undefined, hasWorked: boolean): boolean {
  if (status === undefined) return true;
  if (NOT_OFFERED.has(status)) return false;
  return hasWorked || status >= 500 || TEMPORARY.has(status);
}

export class Reopening {
  readonly #random: () => number;
  /** Attempts in a row that failed. */
  #failures = 0;
  /** Connections in a row that were closed soon and brought nothing. */
  #barren = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** How many attempts in a row have failed. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Whether something may have been missed since the last connection. A server that closes each one
   * at once has nothing to say on any of them.
   */
  get hasGap(): boolean {
    return this.#failures > 0 || this.#barren <= PATIENCE;
  }

  /** The stream could not be opened, or had to be given up. */
  failed(): void {
    this.#failures++;
  }

  /** The stream was open for this long. */
  ended(lastedMs: number, wasFruitful: boolean): void {
    this.#failures = 0;
    this.#barren = wasFruitful || lastedMs >= STEADY_MS ? 0 : this.#barren + 1;
  }

  /** How long to wait now; never less than the server wishes. */
  pauseMs(wishMs = RETRY_MS): number {
    const wished = Math.max(MIN_RETRY_MS, wishMs);
    const doublings = this.#failures + Math.max(0, this.#barren - PATIENCE);
    const patient = Math.min(MAX_RETRY_MS, wished * 2 ** Math.min(20, doublings));
    return Math.max(wished, patient) * (1 + JITTER * this.#random());
  }
}
