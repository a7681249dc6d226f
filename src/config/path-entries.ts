import { followPath } from "../files/real-path.ts";

/**
 * What decides which file a path leads to, as names by the folder they are in: the file itself and
 * every symbolic link on the way, whether it stands for the file or for a folder above it.
 */
export function entriesBehind(path: string): Map<string, Set<string>> {
  const entries = new Map<string, Set<string>>();
  followPath(path, (folder, name) => {
    entries.set(folder, (entries.get(folder) ?? new Set<string>()).add(name));
  });
  return entries;
}
