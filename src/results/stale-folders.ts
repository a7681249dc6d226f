import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, rmdirSync } from "node:fs";
import { join } from "node:path";

import { isProcessRunning } from "../files/is-running.ts";

const SUFFIX_BYTES = 8;
const NAME = /^(\d{1,10})-(\d{1,16})-[0-9a-f]{16}$/;
/** Differs between two processes with the same id, and is the same everywhere in a process. */
const STARTED_AT = Math.round(performance.timeOrigin);

/** The name of a new folder. It names the process, so that others know whether it is in use. */
export function newFolderName(): string {
  return `${process.pid}-${STARTED_AT}-${randomBytes(SUFFIX_BYTES).toString("hex")}`;
}

/** Removes the folders of processes that no longer run: they were killed. */
export function removeStaleFolders(root: string): void {
  for (const name of namesIn(root)) {
    const [, pid, startedAt] = NAME.exec(name) ?? [];
    if (pid === undefined) continue;
    const isInUse =
      Number(pid) === process.pid
        ? Number(startedAt) === STARTED_AT
        : isProcessRunning(Number(pid));
    if (!isInUse) removeFolder(join(root, name));
  }
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    // Nothing has been stored yet, or the folder cannot be read.
    return [];
  }
}

export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next start tries again.
  }
}

export function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Other workbenches have results there, or there was none.
  }
}
