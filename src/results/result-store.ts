import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { ensurePrivateDir } from "../config/directories.ts";
import type { ResultSettings } from "../config/types.ts";
import type { StoredFile } from "./jobs.ts";
import { newFolderName, removeFolder, removeIfEmpty, removeStaleFolders } from "./stale-folders.ts";

/** Whose results are meant: a client of a principal. No other client can find them. */
export interface ResultOwner {
  readonly principal: string;
  readonly client: string;
  /** How often the client has connected before: it may know results that no longer exist. */
  readonly epoch?: number | undefined;
}

/** Results that other replicas have stored. */
export interface RemoteResults {
  /** The ids of results that are stored here are larger, and no other replica uses them. */
  readonly firstId: number;
  /** Whether an id may be one of another replica. */
  isRemote(id: string): boolean;
  /** The text of a result, if the replica is there, has it, and it is not larger. */
  fetch(owner: ResultOwner, id: string, maxBytes: number): Promise<RemoteResult | undefined>;
}

export interface RemoteResult {
  readonly content: Buffer;
  readonly isJson: boolean | undefined;
}

/** How the ids of other replicas look in the text of a request. */
export const REMOTE_REFERENCE = /"(r\d{14})"/g;

export interface StoreOptions {
  readonly root: string;
  readonly settings: () => ResultSettings;
  /** All ids are larger. */
  readonly firstId?: () => number;
  /** Milliseconds on the monotonic clock. */
  readonly now?: () => number;
}

/** A place for a result that is being written. */
export interface Reserved {
  readonly id: string;
  readonly file: string;
  /** The file has been written: it can be found from now on, and others make room for it. */
  keep(bytes: number, isJson?: boolean): void;
}

interface Entry extends StoredFile {
  readonly bytes: number;
  usedAt: number;
}

/** An earlier process may have used smaller ones for the same client. */
const IDS_PER_CONNECTION = 1_000_000;

/** The results of one client. Its ids are never used again. */
class ClientFolder {
  readonly entries = new Map<string, Entry>();
  readonly name = newFolderName();
  readonly owner: ResultOwner;
  lastId: number;
  isEnded = false;

  constructor(owner: ResultOwner, firstId: number) {
    this.owner = owner;
    this.lastId = firstId + (owner.epoch ?? 0) * IDS_PER_CONNECTION;
  }

  get bytes(): number {
    let bytes = 0;
    for (const entry of this.entries.values()) bytes += entry.bytes;
    return bytes;
  }
}

const PRIVATE = 0o700;
/** Clients without a session are known by their name only, and names can be invented. */
const MAX_CLIENTS = 1000;
const MAX_SWEEP_MS = 60_000;

/** The files of stored results: who may read them, how many there may be, and for how long. */
export class ResultStore {
  readonly #options: StoreOptions;
  readonly #now: () => number;
  /** By principal and client; the one that stored something last is the last. */
  readonly #clients = new Map<string, ClientFolder>();
  #sweep: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Throws if the folder cannot be used.
   * @param given the id of a result that another replica has stored
   */
  reserve(owner: ResultOwner, given?: string): Reserved {
    if (this.#isClosed) throw new Error("the workbench is closing");
    this.removeExpired();
    const folder = this.#folderOf(owner);
    const id = given ?? `r${++folder.lastId}`;
    const file = join(this.#options.root, folder.name, id);
    const keep = (bytes: number, isJson?: boolean): void => {
      if (folder.isEnded) {
        discard(file);
        return;
      }
      const entry = { file, isJson, bytes, usedAt: this.#now() };
      folder.entries.set(id, entry);
      this.#makeRoomFor(entry);
    };
    return { id, file, keep };
  }

  /** The file of a result. To find it is to use it. */
  find(owner: ResultOwner, id: string): StoredFile | undefined {
    this.removeExpired();
    const folder = this.#clients.get(keyOf(owner));
    const entry = folder?.entries.get(id);
    if (folder === undefined || entry === undefined) return undefined;
    entry.usedAt = this.#now();
    return entry;
  }

  /** The ids of an owner's results, oldest first. */
  ids(owner: ResultOwner): string[] {
    this.removeExpired();
    return [...(this.#clients.get(keyOf(owner))?.entries.keys() ?? [])];
  }

  /** Removes all results of an owner, or of all clients of a principal. */
  end({ principal, client, epoch }: Pick<ResultOwner, "principal"> & Partial<ResultOwner>): void {
    for (const [key, folder] of this.#clients) {
      const { owner } = folder;
      const isOne = owner.client === client && owner.epoch === epoch;
      if (owner.principal === principal && (client === undefined || isOne)) this.#end(key, folder);
    }
  }

  removeExpired(): void {
    const before = this.#now() - this.#options.settings().idleMs;
    for (const folder of this.#clients.values())
      for (const [id, entry] of folder.entries)
        if (entry.usedAt <= before) remove(folder, id, entry);
  }

  /** Removes everything. Nothing can be stored after that. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const [key, folder] of this.#clients) this.#end(key, folder);
    removeIfEmpty(this.#options.root);
  }

  #folderOf(owner: ResultOwner): ClientFolder {
    const { root, settings, firstId } = this.#options;
    const key = keyOf(owner);
    const known = this.#clients.get(key);
    if (this.#sweep === undefined) {
      ensurePrivateDir(root);
      removeStaleFolders(root);
      const everyMs = Math.min(MAX_SWEEP_MS, settings().idleMs);
      this.#sweep = setInterval(() => this.removeExpired(), everyMs).unref();
    }
    const folder = known ?? new ClientFolder(owner, firstId?.() ?? 0);
    // It may have been removed by a user who cleans up.
    mkdirSync(join(root, folder.name), { recursive: true, mode: PRIVATE });
    this.#clients.delete(key);
    this.#clients.set(key, folder);
    const [[oldest, unused] = []] = this.#clients;
    if (this.#clients.size > MAX_CLIENTS && oldest !== undefined && unused !== undefined)
      this.#end(oldest, unused);
    return folder;
  }

  /** The client with the most bytes loses what it has not used for the longest time. */
  #makeRoomFor(added: Entry): void {
    const folders = [...this.#clients.values()];
    const { totalBytes } = this.#options.settings();
    const total = (): number => folders.reduce((sum, { bytes }) => sum + bytes, 0);
    while (total() > totalBytes) {
      const [largest] = folders
        .filter(({ entries }) => [...entries.values()].some((entry) => entry !== added))
        .toSorted((a, b) => b.bytes - a.bytes);
      const [[id, entry] = []] = [...(largest?.entries ?? [])]
        .filter(([, candidate]) => candidate !== added)
        .toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
      if (largest === undefined || id === undefined || entry === undefined) return;
      remove(largest, id, entry);
    }
  }

  #end(key: string, folder: ClientFolder): void {
    this.#clients.delete(key);
    folder.isEnded = true;
    folder.entries.clear();
    removeFolder(join(this.#options.root, folder.name));
  }
}

function remove(folder: ClientFolder, id: string, { file }: Entry): void {
  folder.entries.delete(id);
  discard(file);
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It is removed with its folder.
  }
}

function keyOf({ principal, client, epoch }: ResultOwner): string {
  return JSON.stringify([principal, client, epoch]);
}
