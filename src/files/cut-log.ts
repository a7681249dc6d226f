import { copyFileSync, fstatSync, ftruncateSync, renameSync, rmSync, statSync } from "node:fs";

/** With `FILE.1`, a log takes at most twice as much. */
export const MAX_CUT_LOG_BYTES = 1024 * 1024;

/**
 * Empties a log that is too large and keeps its lines in `FILE.1`. The file itself stays, because it
 * is the standard error of a process, which cannot open another one; it must be open for appending.
 */
export function cutLog(path: string, descriptor: number): void {
  const open = fstatSync(descriptor);
  if (!open.isFile() || open.size <= MAX_CUT_LOG_BYTES) return;
  try {
    // A user may have removed it, or put another one in its place.
    if (statSync(path).ino === open.ino) keepCopy(path, `${path}.1`);
  } catch {
    // The disk may be full; the limit holds all the same.
  }
  ftruncateSync(descriptor, 0);
}

function keepCopy(path: string, kept: string): void {
  const next = `${kept}.new`;
  try {
    copyFileSync(path, next);
    renameSync(next, kept);
  } finally {
    rmSync(next, { force: true });
  }
}
