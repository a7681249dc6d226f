import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

import { codeOf } from "../text/error-code.ts";

/** As many links as operating systems follow before they take them for a circle. */
const MAX_LINKS = 40;

/** Where a path leads with all symbolic links followed, also if its end does not exist yet. */
export function realPathOf(path: string, links = MAX_LINKS): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || links === 0 || dirname(path) === path) throw error;
  }
  const folder = realPathOf(dirname(resolve(path)), links - 1);
  const target = linkTarget(join(folder, basename(path)));
  if (target === undefined) return join(folder, basename(path));
  return realPathOf(resolve(folder, target), links - 1);
}

/** Whether a path leads into a folder, or to it, once all symbolic links are followed. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(realPathOf(folder), realPathOf(path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Where a symbolic link leads; undefined for anything else. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
