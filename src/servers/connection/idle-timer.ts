const LEAST_WAIT_MS = 100;

/** A connection, as far as it may be idle. */
interface Idling {
  readonly isBusy: boolean;
  readonly calls: { readonly lastUsed: number };
}

/**
 * Reports once that a connection has been unused for the idle time, or never if that is 0. The
 * returned function ends the timer; otherwise it would keep a closed connection in memory.
 */
export function whenIdle(connection: Idling, setting: () => number, idle: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const unused = (): number => performance.now() - connection.calls.lastUsed;
  const watch = (): void => {
    const idleMs = setting();
    if (idleMs === 0) return;
    const look = (): void => {
      if (connection.isBusy || unused() < idleMs) watch();
      else idle();
    };
    const wait = connection.isBusy ? idleMs : idleMs - unused();
    timer = setTimeout(look, Math.max(wait, LEAST_WAIT_MS)).unref();
  };
  watch();
  return () => clearTimeout(timer);
}
