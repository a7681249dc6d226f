/**
 * When a stream of notifications is reopened: as long as it may succeed, with growing delays.
 * Giving up after one failure would lose all further notifications of the server.
 */

/** The delay if the server does not state one. */
const RETRY_MS = 1000;
/** A server that asks for no delay must not cause a tight loop of reconnections. */
const MIN_RETRY_MS = 20;
const MAX_RETRY_MS = 30_000;
/** At most this much is added, so that many streams to a server do not reconnect in step. */
const JITTER = 0.2;
/** After this many consecutive connections without events, each further one doubles the delay. */
const MAX_EMPTY = 3;
/** A connection that lasted this long counts as useful, even without events. */
const STABLE_MS = 10_000;

/** Statuses that mean "try again later". */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429]);
/** Statuses that mean that the server has no such stream. */
const NOT_OFFERED: ReadonlySet<number> = new Set([405, 501]);

/**
 * Whether a stream that was refused with this status may work later; undefined if there was no
 * response. If it has worked before, the server supports it, so a refusal because of credentials or
 * a session is temporary as well.
 */
export function isWorthRetrying(status: number | undefined, hasWorked: boolean): boolean {
  if (status === undefined) return true;
  if (NOT_OFFERED.has(status)) return false;
  return hasWorked || status >= 500 || TEMPORARY.has(status);
}

export class Reopening {
  readonly #random: () => number;
  /** Consecutive failed attempts. */
  #failures = 0;
  /** Consecutive connections that were closed soon and without events. */
  #emptyConnections = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The number of consecutive failed attempts. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Whether events may have been missed since the last connection. A server that closes each
   * connection at once has nothing to send on any of them.
   */
  get hasMissedEvents(): boolean {
    return this.#failures > 0 || this.#emptyConnections <= MAX_EMPTY;
  }

  /** The stream could not be opened, or had to be closed. */
  failed(): void {
    this.#failures++;
  }

  /** The stream was open for this long. */
  ended(lastedMs: number, hasDelivered: boolean): void {
    this.#failures = 0;
    this.#emptyConnections = hasDelivered || lastedMs >= STABLE_MS ? 0 : this.#emptyConnections + 1;
  }

  /** The delay before the next attempt; never less than the server asked for. */
  pauseMs(requestedMs = RETRY_MS): number {
    const least = Math.max(MIN_RETRY_MS, requestedMs);
    const doublings = this.#failures + Math.max(0, this.#emptyConnections - MAX_EMPTY);
    const delay = Math.min(MAX_RETRY_MS, least * 2 ** Math.min(20, doublings));
    return Math.max(least, delay) * (1 + JITTER * this.#random());
  }
}
