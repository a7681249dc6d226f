import { statSync } from "node:fs";

/** What a path leads to; undefined if it does not exist. */
export function kindOf(path: string): "folder" | "file" | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isDirectory() ? "folder" : "file";
}
