import type { Connection } from "./connection.ts";

const LEAST_WAIT_MS = 100;

/** Says once that nobody has used a connection for a while, which is never if that is set to 0. */
export function whenIdle(connection: Connection, setting: () => number, idle: () => void): void {
  const idleMs = setting();
  if (idleMs === 0) return;
  const isBusy = (): boolean => connection.waiting > 0 || connection.keepers.size > 0;
  const unused = (): number => performance.now() - connection.lastUsed;
  const wait = isBusy() ? idleMs : idleMs - unused();
  const look = (): void => {
    if (connection.closed) return;
    if (isBusy() || unused() < idleMs) whenIdle(connection, setting, idle);
    else idle();
  };
  setTimeout(look, Math.max(wait, LEAST_WAIT_MS)).unref();
}
