import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";

/**
 * Reads from an open file, so that what is checked is what is read. Opening a pipe would block until another
 * process writes to it, so the file is opened without waiting; Windows has neither such files nor the flags.
 */
export function withOpenFile<T>(
  file: string,
  links: "follow" | "refuse",
  read: (descriptor: number, found: Stats) => T,
): T {
  const noLinks = links === "refuse" ? (constants.O_NOFOLLOW ?? 0) : 0;
  const flags = constants.O_RDONLY | noLinks | (constants.O_NONBLOCK ?? 0);
  const descriptor = openSync(file, flags);
  try {
    return read(descriptor, fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}
