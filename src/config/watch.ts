import { type FSWatcher, watch } from "node:fs";
import { basename } from "node:path";
import { reasonOf } from "../errors.ts";
import { followPath } from "../files/real-path.ts";
import { readConfigText } from "./load.ts";

const DEBOUNCE_MS = 150;
/** How often to look for a missing folder. */
const MISSING_MS = 2000;

/**
 * Calls `onChange` shortly after the content of the file has changed. `known` is the content that was
 * read last, as `read` returns it. The watcher does not keep the process alive.
 */
export function watchConfig(
  file: string,
  known: string,
  onChange: () => void,
  read: (file: string) => string = contentOf,
): () => void {
  const watcher = new ConfigWatcher(file, known, onChange, read);
  return () => watcher.close();
}

/**
 * Watches folders instead of files, because editors replace files: the folder of the file and the
 * folders of the symbolic links that lead to it. They are determined again after every change.
 */
class ConfigWatcher {
  readonly #file: string;
  readonly #onChange: () => void;
  readonly #read: (file: string) => string;
  readonly #watchers = new Map<string, FSWatcher>();
  #names = new Map<string, ReadonlySet<string>>();
  #content: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string, known: string, onChange: () => void, read: (file: string) => string) {
    this.#file = file;
    this.#onChange = onChange;
    this.#read = read;
    this.#content = known;
    this.#watchFolders();
    if (read(file) !== known) this.#checkIn(DEBOUNCE_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #check(): void {
    // In this order, a change in between is noticed by one of the two.
    this.#watchFolders();
    const content = this.#read(this.#file);
    if (content === this.#content) return;
    this.#content = content;
    this.#onChange();
  }

  #checkIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), ms).unref();
  }

  #watchFolders(): void {
    this.#names = symlinkEntriesOf(this.#file);
    for (const folder of this.#watchers.keys()) if (!this.#names.has(folder)) this.#unwatch(folder);
    for (const folder of this.#names.keys())
      if (!this.#watchers.has(folder) && !this.#watch(folder)) this.#checkIn(MISSING_MS);
  }

  /** False if the folder does not exist or cannot be watched. */
  #watch(folder: string): boolean {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) =>
        this.#onEvent(folder, name),
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

  #onEvent(folder: string, name: string | null): void {
    // An event with the name of the folder itself means that it was moved or removed.
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

/** The text of the file, or the reason why it cannot be read. */
export function contentOf(file: string): string {
  try {
    return readConfigText(file);
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * The directory entries that determine which file a path leads to, as names by folder: the file
 * itself and every symbolic link on the way, to the file or to a folder above it.
 */
export function symlinkEntriesOf(path: string): Map<string, Set<string>> {
  const entries = new Map<string, Set<string>>();
  followPath(path, (folder, name) => {
    entries.set(folder, (entries.get(folder) ?? new Set<string>()).add(name));
  });
  return entries;
}
