import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { isProcessRunning } from "../../files/is-running.ts";

/** Folders into which bundles are unpacked, and what a killed process has left of them. */

/** How the name of such a folder begins; a few random characters follow. */
export const unfinishedName = (target: string): string => `${target}.new-${process.pid}-`;

const UNFINISHED = /\.new-(?:(\d+)-)?[A-Za-z0-9]{6}$/;
/** Unpacking takes seconds; after this time, the id belongs to a different process. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Removes what is left of bundles that were not unpacked completely: `NAME/VERSION/DIGEST.new-…`. */
export async function removeLeftovers(bundles: string): Promise<void> {
  for (const name of await foldersIn(bundles))
    for (const version of await foldersIn(join(bundles, name)))
      for (const folder of await foldersIn(join(bundles, name, version))) {
        const path = join(bundles, name, version, folder);
        // It is tried again next time.
        if (await isLeftover(path))
          await rm(path, { recursive: true, force: true }).catch(() => {});
      }
}

async function isLeftover(path: string): Promise<boolean> {
  const found = UNFINISHED.exec(path);
  if (found === null) return false;
  const pid = Number(found[1] ?? 0);
  if (pid > 0 && !isProcessRunning(pid)) return true;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > MAX_AGE_MS;
}

/** Without links: nothing outside is removed. */
async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
