import type { Connection } from "./connection.ts";

const LEAST_WAIT_MS = 100;

/** Whether somebody waits for the server, now or for news of it, so that it has to stay connected. */
export function isBusy({ waiting, keepAliveFor: keepers, tasks }: Connection): boolean {
  return waiting > 0 || keepers.size > 0 || tasks.any;
}

/**
 * Says once that nobody has used a connection for a while, which is never if that is set to 0. The
 * watch is ended by what is given back; without that it would keep a closed connection in memory.
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
