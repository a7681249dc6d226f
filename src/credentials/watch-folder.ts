import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";

import { versionOf } from "../files/file-version.ts";
import { recordNames } from "./private-files.ts";

export interface WatchTiming {
  /** How often to look, for file systems without events and folders that were replaced. */
  readonly pollMs: number;
  /** Several events belong to one change. */
  readonly settleMs: number;
}

export const WATCH_TIMING: WatchTiming = { pollMs: 2000, settleMs: 50 };

/**
 * Calls back after the records in a folder have changed. The folder may not exist yet, and may be
 * replaced. Returns a function that stops it. Does not keep the process alive.
 */
export function watchRecords(
  folder: string,
  onChange: () => void,
  timing: WatchTiming = WATCH_TIMING,
): () => void {
  const watcher = new RecordWatcher(folder, onChange, timing);
  return () => watcher.close();
}

class RecordWatcher {
  readonly #folder: string;
  readonly #onChange: () => void;
  readonly #timing: WatchTiming;
  #state: string;
  #watcher: FSWatcher | undefined;
  /** Identifies the folder that is watched. */
  #watched: bigint | undefined;
  #poll: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;

  constructor(folder: string, onChange: () => void, timing: WatchTiming) {
    this.#folder = folder;
    this.#onChange = onChange;
    this.#timing = timing;
    this.#watchFolder();
    // After the watcher was started, so that no change is missed in between.
    this.#state = stateOf(folder);
    this.#poll = setInterval(() => this.#check(), timing.pollMs).unref();
  }

  close(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#soon);
    this.#unwatch();
  }

  #check(): void {
    this.#watchFolder();
    const state = stateOf(this.#folder);
    if (state === this.#state) return;
    this.#state = state;
    this.#onChange();
  }

  #checkSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#check();
    }, this.#timing.settleMs).unref();
  }

  /** Starts a watcher for the folder, unless it has one or does not exist. */
  #watchFolder(): void {
    const found = statSync(this.#folder, { bigint: true, throwIfNoEntry: false });
    if (found?.ino === this.#watched) return;
    this.#unwatch();
    if (found === undefined) return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => this.#checkSoon());
      this.#watcher.on("error", () => this.#unwatch());
      this.#watched = found.ino;
    } catch {
      // The poll notices changes, and tries again.
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = undefined;
  }
}

/** Changes with every record that is written or removed. */
function stateOf(folder: string): string {
  try {
    const names = recordNames(folder);
    return names.map((name) => `${name} ${versionOf(join(folder, name))}`).join("\n");
  } catch {
    return "";
  }
}
