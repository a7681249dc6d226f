export interface TimeLimit {
  /** Aborted with the other signal, or when the time is over. */
  readonly signal: AbortSignal;
  /** The limit is no longer needed. */
  end(): void;
}

/**
 * Limits a wait. `AbortSignal.any` refers to its sources weakly, so a signal of `AbortSignal.timeout` that
 * only it knows is collected as garbage and never aborts.
 */
export function timeLimit(other: AbortSignal, ms: number): TimeLimit {
  const over = new AbortController();
  const abort = (): void => {
    end();
    over.abort();
  };
  const timer = setTimeout(abort, ms).unref();
  const end = (): void => {
    clearTimeout(timer);
    other.removeEventListener("abort", abort);
  };
  if (other.aborted) abort();
  else other.addEventListener("abort", abort, { once: true });
  return { signal: over.signal, end };
}
