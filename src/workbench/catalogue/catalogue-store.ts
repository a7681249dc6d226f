import { createHmac } from "node:crypto";
import { readFile, readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDir, ensurePrivateDir, stateDir } from "../../config/directories.ts";
import { writeFileAtomic } from "../../files/write-atomic.ts";
import type { KnownServer } from "../../servers/server-memory.ts";
import type { Redact } from "../../secrets/redact.ts";
import {
  MAX_BYTES,
  type Unreachable,
  checksumIn,
  decodeCatalogue,
  encodeCatalogue,
  encodeUnreachable,
} from "./catalogue-file.ts";
import { ensureKey, readKey } from "./catalogue-key.ts";
import type { CatalogueStore } from "./catalogues.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A configuration that was not used for this long is considered gone. */
const FORGET_AFTER_MS = 90 * DAY_MS;
const MAX_FILES = 500;
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;
const NAME_DIGITS = 32;
const NAME = /^[0-9a-f]{32}(\.types)?\.json$/;

export interface StorePlaces {
  readonly folder: string;
  readonly keyFile: string;
}

export function userPlaces(): StorePlaces {
  return {
    folder: join(cacheDir(), "catalogue"),
    keyFile: join(stateDir(), "catalogue.key"),
  };
}

/**
 * The catalogue cache: one file for each configuration of a server. File names are keyed hashes
 * that reveal nothing about the configuration. Files are replaced atomically, so that several
 * workbenches can share the folder; damaged files are treated as missing.
 */
export class DiskCatalogues implements CatalogueStore {
  readonly #places: StorePlaces;
  readonly #redact: Redact;
  #key: Buffer | undefined;
  #pruned = false;
  /** The checksum of the content on disk, by file name, so that nothing is written twice. */
  readonly #onDisk = new Map<string, string>();

  constructor(redact: Redact, places: StorePlaces = userPlaces()) {
    this.#redact = redact;
    this.#places = places;
  }

  async read(identity: string): Promise<KnownServer | Unreachable | undefined> {
    this.#key ??= await readKey(this.#places.keyFile);
    if (this.#key === undefined) return undefined;
    const name = nameOf(identity, this.#key);
    const file = join(this.#places.folder, name);
    const found = await stat(file);
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    const text = await readFile(file, "utf8");
    const known = await decodeCatalogue(text, name, this.#key);
    if (known === undefined) return undefined;
    this.#onDisk.set(name, checksumIn(text));
    // Files in use are pruned last.
    if (Date.now() - found.mtimeMs > DAY_MS) await touch(file);
    return known;
  }

  async write(identity: string, known: KnownServer): Promise<void> {
    this.#key ??= await ensureKey(this.#places.keyFile);
    const name = nameOf(identity, this.#key);
    const text = await encodeCatalogue(known, name, this.#key, this.#redact);
    if (text !== undefined) await this.#put(name, text);
  }

  async writeUnreachable(identity: string): Promise<void> {
    this.#key ??= await ensureKey(this.#places.keyFile);
    const name = nameOf(identity, this.#key);
    await this.#put(name, encodeUnreachable(name, this.#key));
  }

  async #put(name: string, text: string): Promise<void> {
    const { folder } = this.#places;
    const checksum = checksumIn(text);
    if (this.#onDisk.get(name) === checksum) return;
    ensurePrivateDir(dirname(folder));
    ensurePrivateDir(folder);
    await writeFileAtomic(join(folder, name), text, { mode: 0o600 });
    this.#onDisk.set(name, checksum);
    if (!this.#pruned) await this.#prune();
  }

  /** Removes files that have not been used for long, and the oldest ones if there are too many. */
  async #prune(): Promise<void> {
    this.#pruned = true;
    const { folder } = this.#places;
    const files = await Promise.all(
      (await readdir(folder))
        .filter((name) => NAME.test(name))
        .map(async (name) => {
          const path = join(folder, name);
          const found = await stat(path).catch(() => undefined);
          return { path, bytes: found?.size ?? 0, usedAt: found?.mtimeMs ?? 0 };
        }),
    );
    files.sort((a, b) => b.usedAt - a.usedAt);
    let bytes = 0;
    for (const [i, file] of files.entries()) {
      bytes += file.bytes;
      const old = Date.now() - file.usedAt > FORGET_AFTER_MS;
      if (old || i >= MAX_FILES || bytes > MAX_TOTAL_BYTES) await rm(file.path, { force: true });
    }
  }
}

/** The name of the file about a server; it reveals nothing about the configuration. */
export function nameOf(identity: string, key: Buffer, extension = ".json"): string {
  const hash = createHmac("sha256", key).update(`name\n${identity}`).digest("hex");
  return `${hash.slice(0, NAME_DIGITS)}${extension}`;
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
}
