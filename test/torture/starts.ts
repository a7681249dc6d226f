/** The pause after the second failure in a row; it doubles with each further one. */
const FIRST_PAUSE_MS = 1000;
/** A pause may be a fifth shorter than planned. */
const MIN_PAUSE = 0.8;
const FREE_STARTS = 2;

/** How often a server that fails at once may be started during this time. */
export function maxStarts(elapsedMs: number): number {
  let starts = FREE_STARTS;
  let pauseMs = FIRST_PAUSE_MS * MIN_PAUSE;
  for (let restMs = elapsedMs; restMs >= pauseMs; pauseMs *= 2) {
    restMs -= pauseMs;
    starts++;
  }
  return starts;
}
