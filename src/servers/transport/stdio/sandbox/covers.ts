import { type Dirent, readdirSync, readlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isWithin, realPathOf } from "../../../../files/real-path.ts";
import { kindOf } from "./kind-of.ts";

/** What a server sees: folders it may read, and folders it may change. */
export interface Shown {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** bwrap needs longer for every mount. */
const MAX_ENTRIES = 500;

/**
 * Covers what belongs to the workbench in the folders that a server sees, which may be symbolic links.
 *
 * A mount on a single file would end as soon as the file is replaced, and there is none on a file that does
 * not exist yet. So a folder that has such a file, or may get one, is built from the entries that it has now,
 * without the files of the workbench. Nothing can be added to it.
 */
export function coverArguments(protect: readonly string[], shown: Shown): string[] {
  const all = [...shown.read, ...shown.write];
  const isFolder = (path: string): boolean => kindOf(path) === "folder";
  const files = protect.filter((path) => !isFolder(path));
  // A file that is a symbolic link is in two folders.
  const parents = new Set(files.flatMap((file) => [dirname(file), dirname(realPathOf(file))]));
  const places = [...parents].flatMap((folder) =>
    isFolder(folder) ? placesOf(folder, all).map((at) => ({ folder, at })) : [],
  );
  const byPlace = new Map(places.map((place) => [place.at, place]));
  const outsideIn = [...byPlace.values()].sort((a, b) => a.at.length - b.at.length);
  return [
    ...outsideIn.flatMap(({ folder, at }) => rebuilt(folder, at, files, shown)),
    ...protect.filter(isFolder).flatMap((folder) => placesOf(folder, all).flatMap(tmpfs)),
    ...outsideIn.flatMap(({ at }) => ["--remount-ro", at]),
  ];
}

/** Where a path is in the folders that the server sees. */
export function placesOf(path: string, shown: readonly string[]): string[] {
  return shown
    .filter((folder) => isWithin(path, folder))
    .map((folder) => join(folder, relative(realPathOf(folder), realPathOf(path))));
}

/** Mounts of the paths at the same paths in the sandbox. */
export function mountsOf({ read, write }: Shown): string[] {
  return [
    ...read.flatMap((path) => ["--ro-bind", path, path]),
    ...write.flatMap((path) => ["--bind", path, path]),
  ];
}

const tmpfs = (at: string): string[] => ["--tmpfs", at];

function rebuilt(folder: string, at: string, files: readonly string[], shown: Shown): string[] {
  const real = realPathOf(folder);
  const hidden = new Set(files.flatMap((file) => [besideReal(file), realPathOf(file)]));
  const entries = readdirSync(folder, { withFileTypes: true }).filter(
    ({ name }) => !hidden.has(join(real, name)),
  );
  if (entries.length > MAX_ENTRIES)
    throw new Error(
      `sandbox: ${folder} has files of the workbench and ${entries.length} other entries. Name the folders in it that the server needs`,
    );
  const bind = shown.write.some((path) => isWithin(folder, path)) ? "--bind-try" : "--ro-bind-try";
  const inside = (path: string): boolean => path.startsWith(`${at}/`);
  return [
    ...tmpfs(at),
    ...entries.flatMap((entry) => mountOf(entry, folder, at, bind)),
    // They were mounted before, and the new folder is on top of them.
    ...mountsOf({ read: shown.read.filter(inside), write: shown.write.filter(inside) }),
  ];
}

/** A link stays a link: its target may be out of reach. */
function mountOf(entry: Dirent, folder: string, at: string, bind: string): string[] {
  const source = join(folder, entry.name);
  const target = join(at, entry.name);
  if (!entry.isSymbolicLink()) return [bind, source, target];
  try {
    return ["--symlink", readlinkSync(source), target];
  } catch {
    return [];
  }
}

/** The path of a file itself, with the links to its folder followed. */
function besideReal(file: string): string {
  const folder = dirname(file);
  return join(realPathOf(folder), relative(folder, file));
}
