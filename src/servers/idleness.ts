import type { Connection } from "./connection.ts";

const LEAST_WAIT_MS = 100;

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
  const isBusy = (): boolean =>
    connection.waiting > 0 || connection.keepers.size > 0 || connection.tasks.any;
  const unused = (): number => performance.now() - connection.lastUsed;
  const watch = (): void => {
    const idleMs = setting();
    if (idleMs === 0) return;
    const look = (): void => {
      if (isBusy() || unused() < idleMs) watch();
      else idle();
    };
    const wait = isBusy() ? idleMs : idleMs - unused();
    timer = setTimeout(look, Math.max(wait, LEAST_WAIT_MS)).unref();
  };
  watch();
  return () => clearTimeout(timer);
}
