import { readFileSync, statSync, type Stats } from "node:fs";

import { withOpenFile } from "./with-open-file.ts";

/** No sensible configuration is larger, and reading a huge file could exhaust the memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of a regular file. Reading a pipe or a device may never end, and opening some devices has
 * side effects, so the type is checked before opening, and again in case the file was replaced.
 */
export function readRegularFile(file: string, maxBytes = MAX_BYTES): Buffer {
  refuseOthers(statSync(file));
  return withOpenFile(file, "follow", (descriptor, found) => {
    refuseOthers(found);
    if (found.size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MB`);
    return readFileSync(descriptor);
  });
}

function refuseOthers(stats: Stats): void {
  if (!stats.isFile()) throw new Error(`it is ${kindOf(stats)}, not a regular file`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}
