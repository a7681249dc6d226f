import { basename, join } from "node:path";

import type { ClusterLink } from "../cluster/cluster-link.ts";
import { SharedText } from "../cluster/shared-text.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import { writeFileAtomic } from "../files/write-atomic.ts";
import { credentialFileName } from "./credential-id.ts";
import { isRecordName, readOwnFile, recordNames } from "./private-files.ts";
import type { CredentialId, CredentialRecord } from "./record.ts";
import { labelOf } from "./record-files.ts";
import { type StoreOptions, openCredentialStore } from "./store.ts";
import { takeSharedLock } from "./shared-lock.ts";
import {
  type SyncPoint,
  currentRecord,
  parseShared,
  parseSyncPoint,
  recordHash,
  sharedText,
} from "./shared-record.ts";
import type {
  CredentialLock,
  CredentialStore,
  LocalStore,
  Protection,
  StoreCheck,
  StoredCredential,
} from "./types.ts";

/** Names the credential that has changed. */
const CHANNEL = "credentials";
const TRIES = 20;
const AWAY: unique symbol = Symbol("Redis cannot be used");
const away = (): typeof AWAY => AWAY;
const LABEL = "(shared with other replicas)";

/**
 * The records of all replicas. Each machine has a copy in its files, which is used while Redis is away; `currentRecord`
 * says what counts if several copies have changed.
 */
export class SharedStore implements CredentialStore {
  readonly #local: LocalStore;
  readonly #link: ClusterLink;
  readonly #report: (problem: string) => void;
  /** What has been compared with Redis by this process, or is about to be. */
  readonly #compared = new Set<string>();

  constructor(local: LocalStore, link: ClusterLink, report: (problem: string) => void) {
    this.#local = local;
    this.#link = link;
    this.#report = report;
  }

  async read(id: CredentialId): Promise<CredentialRecord | undefined> {
    const name = credentialFileName(id);
    if (!this.#compared.has(name)) await this.#syncLocked(name);
    return this.#local.read(id);
  }

  prepare(): Promise<void> {
    return this.#local.prepare();
  }

  async write(record: CredentialRecord): Promise<void> {
    await this.#local.write(record);
    await this.#sync(credentialFileName(record));
  }

  async remove(id: CredentialId): Promise<boolean> {
    const removed = await this.#local.remove(id);
    await this.#sync(credentialFileName(id));
    return removed;
  }

  async removeFile(file: string): Promise<boolean> {
    const removed = await this.#local.removeFile(file);
    await this.#sync(basename(file));
    return removed;
  }

  async list(): Promise<readonly StoredCredential[]> {
    await this.#syncAll();
    return this.#local.list();
  }

  withLock<T>(id: CredentialId, work: (lock: CredentialLock) => Promise<T>): Promise<T> {
    const name = credentialFileName(id);
    const busy = (reason: string): Error =>
      workbenchError("CREDENTIAL_BUSY", { credential: labelOf(id), reason }, "Try again");
    // First on this machine, so that one of its processes waits for the other replicas.
    return this.#local.withFileLock(name, labelOf(id), async (lock) => {
      const shared = await takeSharedLock(this.#link, `credential:${name}`, busy);
      try {
        await this.#sync(name);
        const assertHeld = async (): Promise<void> => {
          await lock.assertHeld();
          if (shared === undefined && this.#syncPoint(name)?.isOwn === false)
            throw busy("Redis is not reachable, and another replica may refresh it");
          if (shared !== undefined && !(await shared.isHeld()))
            throw busy("another replica took its lock over");
        };
        return await work({ ...lock, assertHeld });
      } finally {
        await shared?.release();
      }
    });
  }

  watch(onChange: () => void): () => void {
    const follow = (work: Promise<void>): void =>
      void work.catch((error: unknown) => this.#report(reasonOf(error)));
    const ends = [
      this.#local.watch(onChange),
      this.#link.subscribe(CHANNEL, (name) => {
        if (isRecordName(name)) follow(this.#syncLocked(name));
      }),
      this.#link.onUp(() => follow(this.#syncAll())),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  protection(): Promise<Protection> {
    return this.#local.protection();
  }

  check(): Promise<StoreCheck> {
    return this.#local.check();
  }

  async #syncAll(): Promise<void> {
    const link = this.#link;
    const found = await link.command("SMEMBERS", link.key(CHANNEL)).catch(() => []);
    const shared = (Array.isArray(found) ? found : []).map(String).filter(isRecordName);
    for (const name of new Set([...recordNames(this.#local.folder), ...shared]))
      await this.#syncLocked(name);
  }

  #syncLocked(name: string): Promise<void> {
    return this.#local.withFileLock(name, LABEL, () => this.#sync(name));
  }

  /**
   * Makes the copy of this machine and the shared one the same; the lock of the file must be held. If that is not
   * possible, the copy of this machine is used.
   */
  async #sync(name: string): Promise<void> {
    this.#compared.add(name);
    await this.#merge(name).catch((error: unknown) => this.#report(reasonOf(error)));
  }

  async #merge(name: string): Promise<void> {
    const text = new SharedText(this.#link, `credential:${name}`, this.#report);
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await text.read().catch(away);
      if (found === AWAY) return;
      const shared = found && parseShared(found.text);
      const local = await this.#local.readFile(name, LABEL);
      const known = this.#syncPoint(name);
      const current = currentRecord(local, known, shared);
      if (current === "same") {
        const isKnown = known?.stamp === shared?.stamp && known?.hash === recordHash(local);
        if (shared !== undefined && !isKnown)
          await this.#remember(name, {
            stamp: shared.stamp,
            hash: recordHash(local),
            isOwn: false,
          });
        return;
      }
      if (current === "shared" && shared !== undefined) {
        const { stamp, record } = shared;
        if (record !== undefined && credentialFileName(record) !== name) return;
        if (record === undefined) await this.#local.removeFile(name);
        else await this.#local.write(record);
        return this.#remember(name, { stamp, hash: recordHash(record), isOwn: false });
      }
      const stamp = Math.max(known?.stamp ?? 0, shared?.stamp ?? 0) + 1;
      const isReplaced = await text
        .replace(found, sharedText({ stamp, record: local }))
        .catch(away);
      if (isReplaced === AWAY) return;
      if (!isReplaced) continue;
      await this.#remember(name, { stamp, hash: recordHash(local), isOwn: true });
      const link = this.#link;
      await link.command("SADD", link.key(CHANNEL), name).catch(() => undefined);
      return link.publish(CHANNEL, name);
    }
  }

  #syncPoint(name: string): SyncPoint | undefined {
    try {
      return parseSyncPoint(readOwnFile(this.#pointFile(name)));
    } catch {
      return undefined;
    }
  }

  async #remember(name: string, point: SyncPoint): Promise<void> {
    await writeFileAtomic(this.#pointFile(name), JSON.stringify(point), { mode: 0o600 });
  }

  #pointFile(name: string): string {
    return join(this.#local.folder, name.replace(/\.json$/, ".shared"));
  }
}

/** The store of this machine, shared with the other replicas if there are any. */
export function openSharedStore(
  options: StoreOptions,
  cluster: ClusterLink | undefined,
  report: (problem: string) => void,
): CredentialStore {
  const local = openCredentialStore(options);
  return cluster === undefined ? local : new SharedStore(local, cluster, report);
}
