import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/** The number of links that operating systems follow before they report a loop. */
const MAX_LINKS = 40;

/**
 * The path with all symbolic links followed, even if its end does not exist yet. `..` in the target of
 * a link is resolved against the real folder of the link, as operating systems do and `realpathSync`
 * does not.
 */
export function realPathOf(path: string): string {
  const found = followPath(resolve(path));
  if (found === undefined) throw new Error("its symbolic links form a loop");
  return found;
}

/** Whether a path leads to a folder or into it, with all symbolic links followed. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(realPathOf(folder), realPathOf(path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Called for each entry that determines where a path leads: symbolic links on the way, and its end. */
export type OnEntry = (folder: string, name: string) => void;

/** Follows an absolute path step by step through all links; undefined if they form a loop. */
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
  // On other systems, a backslash may be part of a name.
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
