import { readdirSync } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { atMost } from "../../deadline.ts";

/** npm writes it when a package is complete. */
const COMPLETE = join("node_modules", ".package-lock.json");
const PACKAGE_FOLDER = /^[0-9a-f]{16}$/;
const TRASH = /^[0-9a-f]{16}\.incomplete-\d+$/;
/** Clocks of file systems are coarse. */
const CLOCK_MS = 1000;
/** The workbench is about to exit. */
const MAX_REMOVE_MS = 1000;

/**
 * Removes the packages that an npx with this environment began to install after `since` and did not
 * complete. npx was killed, and would otherwise use them as they are, for every program. A folder
 * is renamed first, which is enough if there is no time to delete it.
 */
export async function removeIncompletePackages(
  env: Readonly<Record<string, string>>,
  since: number,
): Promise<void> {
  const folder = npxFolder(env);
  if (folder === undefined) return;
  const names = await readdir(folder).catch(() => []);
  const trash = names.filter((name) => TRASH.test(name));
  for (const name of names.filter((found) => PACKAGE_FOLDER.test(found))) {
    if (!(await isIncomplete(join(folder, name), since))) continue;
    const renamed = `${name}.incomplete-${process.pid}`;
    const done = rename(join(folder, name), join(folder, renamed));
    await done.then(
      () => trash.push(renamed),
      () => {},
    );
  }
  const removals = trash.map((name) => rm(join(folder, name), { recursive: true, force: true }));
  await atMost(MAX_REMOVE_MS, Promise.allSettled(removals));
}

async function isIncomplete(path: string, since: number): Promise<boolean> {
  const made = await stat(path).catch(() => undefined);
  if (made === undefined || made.birthtimeMs < since - CLOCK_MS) return false;
  return stat(join(path, COMPLETE)).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

/** The folder in which an npx with this environment installs packages. */
export function npxFolder(env: Readonly<Record<string, string>>): string | undefined {
  const cache = npmCache(env);
  return cache && join(cache, "_npx");
}

/** The packages that are in this folder now. */
export function packagesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => PACKAGE_FOLDER.test(name));
  } catch {
    return [];
  }
}

/** The cache of npm, unless a file of npm's own moves it. */
function npmCache(env: Readonly<Record<string, string>>): string | undefined {
  const set = Object.keys(env).find((name) => name.toLowerCase() === "npm_config_cache");
  if (set !== undefined) return env[set];
  if (process.platform === "win32")
    return env["LOCALAPPDATA"] && join(env["LOCALAPPDATA"], "npm-cache");
  return env["HOME"] && join(env["HOME"], ".npm");
}
