import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse } from "node:path";

/** As many links as operating systems follow before they take them for a circle. */
const MOST_LINKS = 40;

/**
 * What decides which file a path leads to, as names by the folder they are in: the file itself and
 * every symbolic link on the way, whether it stands for the file or for a folder above it.
 */
export function entriesBehind(path: string): Map<string, Set<string>> {
  const entries = new Map<string, Set<string>>();
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
    if (target !== undefined || rest.length === 0)
      entries.set(at, (entries.get(at) ?? new Set<string>()).add(name));
    if (target === undefined) at = join(at, name);
    else if (++links > MOST_LINKS) break;
    else {
      const start = parse(target).root;
      if (isAbsolute(target)) at = start;
      rest.unshift(...partsOf(target.slice(start.length)));
    }
  }
  return entries;
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
