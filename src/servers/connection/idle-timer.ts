import type { Connection } from "./connection.ts";

const LEAST_WAIT_MS = 100;

/** Whether a caller or subscriber needs the server, so that it has to stay connected. */
export function isBusy({ waiting, keepAliveFor: keepers, tasks }: Connection): boolean {
  return waiting > 0 || keepers.size > 0 || tasks.any;
}

/**
 * Reports once that a connection has been unused for the idle time, or never if that is 0. The
 * returned function ends the timer; otherwise it would keep a closed connection in memory.
 */
export function whenIdle(
  connection: Connection,
  setting: () => number,
  idle: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const unused = (): number => performance.now() - connection.lastUsed;
  const watch = (): void => {
    const idleMs = setting();
    if (idleMs === 0) return;
    const look = (): void => {
      if (isBusy(connection) || unused() < idleMs) watch();
      else idle();
    };
    const wait = isBusy(connection) ? idleMs : idleMs - unused();
    timer = setTimeout(look, Math.max(wait, LEAST_WAIT_MS)).unref();
  };
  watch();
  return () => clearTimeout(timer);
}
