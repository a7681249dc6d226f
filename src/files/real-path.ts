import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/** As many links as operating systems follow before they take them for a circle. */
const MAX_LINKS = 40;

/**
 * Where a path leads with all symbolic links followed, also if its end does not exist yet. Steps up
 * in the target of a link count from where the link really leads, as for the operating system and
 * unlike for `realpathSync`.
 */
export function realPathOf(path: string): string {
  const found = followPath(resolve(path));
  if (found === undefined) throw new Error("its symbolic links go round in a circle");
  return found;
}

/** Whether a path leads into a folder, or to it, once all symbolic links are followed. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(realPathOf(folder), realPathOf(path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Something that decides where a path leads: a symbolic link on the way, or its end. */
export type OnEntry = (folder: string, name: string) => void;

/** Goes an absolute path step by step, through all links; undefined if they go round in a circle. */
export function followPath(path: string, onEntry: OnEntry = () => {}): string | undefined {
  const { root } = parse(path);
  let at = root;
  let links = 0;
  const rest = partsOf(path.slice(root.length));
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const target = linkTarget(join(at, name));
    if (target !== undefined || rest.length === 0) onEntry(at, name);
    if (target === undefined) at = join(at, name);
    else if (++links > MAX_LINKS) return undefined;
    else {
      const start = parse(target).root;
      if (isAbsolute(target)) at = start;
      rest.unshift(...partsOf(target.slice(start.length)));
    }
  }
  return at;
}

function partsOf(path: string): string[] {
  // Elsewhere a backslash may be part of a name.
  return path
    .split(process.platform === "win32" ? /[\\/]/ : "/")
    .filter((part) => part !== "" && part !== ".");
}

/** Where a symbolic link leads; undefined for anything else. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
