import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The text of a file that only this user can have written, else undefined: it must be a regular file
 * and not a link, belong to this user, and not be writable by others.
 */
export function readPrivateFile(file: string): string | undefined {
  let descriptor: number;
  try {
    // Opening a pipe would block until another process writes to it.
    const flags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    descriptor = openSync(file, constants.O_RDONLY | flags);
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    if (process.getuid !== undefined && found.uid !== process.getuid()) return undefined;
    if (process.platform !== "win32" && (found.mode & 0o022) !== 0) return undefined;
    return readFileSync(descriptor, "utf8");
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
