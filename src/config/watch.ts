import { type FSWatcher, watch } from "node:fs";
import { basename } from "node:path";
import { reasonOf } from "../errors.ts";
import { readConfigText } from "./load.ts";
import { entriesBehind } from "./path-entries.ts";

const DEBOUNCE_MS = 150;
/** How often a folder is looked for that is not there. */
const MISSING_MS = 2000;

/**
 * Calls `changed` some time after the file says something else than before, and than `known`, which
 * may have been read a while ago. None of this keeps the process alive.
 */
export function watchConfig(file: string, known: string, changed: () => void): () => void {
  const watched = new ConfigWatch(file, known, changed);
  return () => watched.close();
}

/**
 * Folders are watched, not files, because editors replace files: the folder of the file, and those
 * of the symbolic links that lead to it. Which they are is found out anew after every change.
 */
class ConfigWatch {
  readonly #file: string;
  readonly #changed: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #names = new Map<string, ReadonlySet<string>>();
  #content: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string, known: string, changed: () => void) {
    this.#file = file;
    this.#changed = changed;
    this.#content = known;
    this.#watchFolders();
    if (contentOf(file) !== known) this.#checkIn(DEBOUNCE_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #check(): void {
    // In this order a change that comes in between is seen by one of the two.
    this.#watchFolders();
    const content = contentOf(this.#file);
    if (content === this.#content) return;
    this.#content = content;
    this.#changed();
  }

  #checkIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), ms).unref();
  }

  #watchFolders(): void {
    this.#names = entriesBehind(this.#file);
    for (const folder of this.#watchers.keys()) if (!this.#names.has(folder)) this.#unwatch(folder);
    for (const folder of this.#names.keys())
      if (!this.#watchers.has(folder) && !this.#watch(folder)) this.#checkIn(MISSING_MS);
  }

  /** False if the folder is not there, or may not be watched. */
  #watch(folder: string): boolean {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) =>
        this.#heard(folder, name),
      );
      watcher.on("error", () => {
        this.#unwatch(folder);
        this.#checkIn(DEBOUNCE_MS);
      });
      this.#watchers.set(folder, watcher);
      return true;
    } catch {
      return false;
    }
  }

  #heard(folder: string, name: string | null): void {
    // A folder that was moved or removed tells so by its own name. What takes its place is another.
    const itself = name === basename(folder);
    if (itself) this.#unwatch(folder);
    if (itself || name === null || this.#names.get(folder)?.has(name) === true)
      this.#checkIn(DEBOUNCE_MS);
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}

/** The text of the file, or why it cannot be read. */
export function contentOf(file: string): string {
  try {
    return readConfigText(file);
  } catch (error) {
    return reasonOf(error);
  }
}
