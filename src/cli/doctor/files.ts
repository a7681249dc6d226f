import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { isProcessRunning } from "../../files/is-running.ts";
import { stateFolder } from "../core/host-info.ts";
import type { Context } from "../core/command.ts";
import type { Findings } from "./check.ts";

const area = "files";
const MAX_DEPTH = 3;

/**
 * Checks that only the user can read what the workbench stores: access tokens, backups of
 * configurations, records of removed entries.
 */
export async function checkFiles(context: Context, findings: Findings): Promise<void> {
  const folder = stateFolder(context);
  const exposed = process.platform === "win32" ? [] : await exposedIn(folder, 0);
  for (const { path, isFolder } of exposed) {
    const mode = isFolder ? 0o700 : 0o600;
    const message = "other users of this machine can access it";
    const fix = `chmod ${mode.toString(8)} ${path}`;
    await findings.repairable({ area, subject: path, status: "warning", message, fix }, () =>
      chmod(path, mode),
    );
  }
  if (exposed.length === 0)
    findings.add({ area, subject: folder, status: "ok", message: "only you can access it" });
  for (const { pid, files } of await goneWorkbenches(join(folder, "run")))
    await findings.repairable(
      {
        area,
        subject: `workbench with pid ${pid}`,
        status: "warning",
        message: "it exited without cleaning up",
        fix: `Remove ${files.join(" and ")}`,
      },
      async () => {
        for (const file of files) await rm(file, { force: true });
      },
    );
}

interface Gone {
  readonly pid: number;
  readonly files: readonly string[];
}

/** Files left by workbenches that were killed. A guard process has ended their servers. */
async function goneWorkbenches(folder: string): Promise<readonly Gone[]> {
  const names = await readdir(folder).catch(() => []);
  const pids = new Set(names.map((name) => Number.parseInt(name, 10)));
  return [...pids]
    .filter((pid) => pid > 0 && !isProcessRunning(pid))
    .map((pid) => {
      const own = names.filter((name) => name.startsWith(`${pid}.`));
      return { pid, files: own.map((name) => join(folder, name)) };
    });
}

interface Exposed {
  readonly path: string;
  readonly isFolder: boolean;
}

async function exposedIn(path: string, depth: number): Promise<readonly Exposed[]> {
  const found = await lstat(path).catch(() => undefined);
  const isFolder = found?.isDirectory() === true;
  if (found === undefined || !(isFolder || found.isFile())) return [];
  const own = (found.mode & 0o077) === 0 ? [] : [{ path, isFolder }];
  if (!isFolder || depth === MAX_DEPTH) return own;
  const names = await readdir(path).catch(() => []);
  const inside = await Promise.all(names.map((name) => exposedIn(join(path, name), depth + 1)));
  return [...own, ...inside.flat()];
}
