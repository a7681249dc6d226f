import { statSync } from "node:fs";

/**
 * Whether only this user, or the administrator of the machine, decides what a file contains. On
 * Windows, which has no such permissions, every file counts as the user's own.
 */
export function isOwnFile(file: string): boolean {
  if (process.getuid === undefined) return true;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return true;
  const isOwn = found.uid === process.getuid() || found.uid === 0;
  return isOwn && (found.mode & 0o002) === 0;
}
