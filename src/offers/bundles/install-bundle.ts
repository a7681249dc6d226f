import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";

import { ensurePrivateDir } from "../../config/directories.ts";
import { isFolder } from "../../files/write-atomic.ts";
import { codeOf } from "../../text/error-code.ts";
import { unfinishedName } from "./leftovers.ts";
import type { Bundle } from "./read-bundle.ts";
import { contentOf } from "./zip-content.ts";
import type { ZipEntry } from "./zip-directory.ts";

/** Whether the bundle was unpacked, or its folder was there already, as it was unpacked or not. */
export type Installed = "new" | "unchanged" | "changed";

/**
 * Unpacks a bundle into a new folder and renames that folder, so it is there completely or not at all.
 * `program` is the path of the file that is run, if it is in the bundle.
 */
export async function installBundle(
  target: string,
  bundle: Bundle,
  program: string | undefined,
  signal: AbortSignal,
): Promise<Installed> {
  if (await isFolder(target)) return hasFiles(target, bundle, signal);
  ensurePrivateDir(dirname(target));
  const temporary = await mkdtemp(unfinishedName(target));
  try {
    // A bundle that was made on Windows does not say which of its files are programs.
    const isProgram = ({ name }: ZipEntry): boolean => join(target, name) === program;
    await unpack(bundle, temporary, isProgram, signal);
    await rename(temporary, target);
    return "new";
  } catch (error) {
    await removeInstalled(temporary);
    // Another process was faster.
    if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) return "unchanged";
    throw error;
  }
}

/** Removes the folder of a bundle, and those of its version and its name if they are empty now. */
export async function removeInstalled(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const version = dirname(folder);
  for (const parent of [version, dirname(version)])
    // Another version, or another process, uses it.
    await rmdir(parent).catch(() => {});
}

/** Compares a folder with the bundle. Files that only the folder has are those of its server. */
async function hasFiles(
  folder: string,
  { bytes, entries }: Bundle,
  signal: AbortSignal,
): Promise<Installed> {
  for (const entry of entries) {
    signal.throwIfAborted();
    const path = join(folder, entry.name);
    const found = await stat(path).catch(() => undefined);
    if (entry.isFolder ? !found?.isDirectory() : found?.size !== entry.size) return "changed";
    if (!entry.isFolder && !contentOf(bytes, entry).equals(await readFile(path))) return "changed";
  }
  return "unchanged";
}

/** The folder is new and private, so nothing in it can be a link; `wx` refuses to replace a file. */
async function unpack(
  { bytes, entries }: Bundle,
  folder: string,
  isProgram: (entry: ZipEntry) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const created = new Set<string>();
  for (const entry of entries) {
    signal.throwIfAborted();
    const path = join(folder, entry.name);
    const parent = entry.isFolder ? path : dirname(path);
    if (!created.has(parent)) await mkdir(parent, { recursive: true, mode: 0o700 });
    created.add(parent);
    if (entry.isFolder) continue;
    await writeFile(path, contentOf(bytes, entry), { flag: "wx", mode: 0o600 });
    if (entry.isExecutable || isProgram(entry)) await chmod(path, 0o700);
  }
}
