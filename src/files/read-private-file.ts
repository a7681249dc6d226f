import { readFileSync } from "node:fs";

import { withOpenFile } from "./with-open-file.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The text of a file that only this user can have written, else undefined: it must be a regular file
 * and not a link, belong to this user, and not be writable by others.
 */
export function readPrivateFile(file: string): string | undefined {
  try {
    return withOpenFile(file, "refuse", (descriptor, found) => {
      if (!found.isFile() || found.size > MAX_BYTES) return undefined;
      if (process.getuid !== undefined && found.uid !== process.getuid()) return undefined;
      if (process.platform !== "win32" && (found.mode & 0o022) !== 0) return undefined;
      return readFileSync(descriptor, "utf8");
    });
  } catch {
    return undefined;
  }
}
