import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { ensurePrivateDir } from "../../config/directories.ts";
import { isFolder } from "../../files/write-atomic.ts";
import { codeOf } from "../../text/error-code.ts";
import type { Bundle } from "./read-bundle.ts";
import { contentOf } from "./zip-content.ts";

/**
 * Unpacks a bundle into a new folder and renames that folder, so it is there completely or not at all.
 * Returns false if it was there already.
 */
export async function installBundle(
  target: string,
  bundle: Bundle,
  signal: AbortSignal,
): Promise<boolean> {
  if (await isFolder(target)) return false;
  ensurePrivateDir(dirname(target));
  const temporary = await mkdtemp(`${target}.new-`);
  try {
    await unpack(bundle, temporary, signal);
    await rename(temporary, target);
    return true;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process was faster.
    if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}

/** The folder is new and private, so nothing in it can be a link; `wx` refuses to replace a file. */
async function unpack({ bytes, entries }: Bundle, folder: string, signal: AbortSignal) {
  const created = new Set<string>();
  for (const entry of entries) {
    signal.throwIfAborted();
    const path = join(folder, entry.name);
    const parent = entry.isFolder ? path : dirname(path);
    if (!created.has(parent)) await mkdir(parent, { recursive: true, mode: 0o700 });
    created.add(parent);
    if (entry.isFolder) continue;
    await writeFile(path, contentOf(bytes, entry), { flag: "wx", mode: 0o600 });
    if (entry.isExecutable) await chmod(path, 0o700);
  }
}
