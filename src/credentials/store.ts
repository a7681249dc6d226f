import { basename, join } from "node:path";

import type { Environment } from "../config/canonical/expand.ts";
import { stateDir, thisMachine } from "../config/directories.ts";
import type { CredentialMode } from "../config/types.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import { checkStore } from "./check-store.ts";
import { credentialFileName } from "./credential-id.ts";
import type { EncryptionKey } from "./file-format.ts";
import { type HeldLock, LOCK_TIMING, type LockTiming, takeLock } from "./file-lock.ts";
import { KeychainKey, keychainSource, type KeySource } from "./keychain-key.ts";
import { assertFolder, ensureFolder, ensureWritableFolder, recordNames } from "./private-files.ts";
import type { CredentialId, CredentialRecord } from "./record.ts";
import { labelOf, RecordFiles } from "./record-files.ts";
import type {
  CredentialLock,
  LocalStore,
  Protection,
  StoreCheck,
  StoredCredential,
} from "./types.ts";
import { watchRecords, WATCH_TIMING, type WatchTiming } from "./watch-folder.ts";

export interface StoreOptions {
  /** A function is asked each time, because the configuration may change. */
  readonly mode: CredentialMode | (() => CredentialMode);
  readonly env: Environment;
  /** By default `credentials` in the state folder of the workbench. */
  readonly folder?: string;
  readonly keySource?: KeySource;
  readonly lockTiming?: Partial<LockTiming>;
  readonly watchTiming?: WatchTiming;
}

/** How long `auto` waits for a keychain before it stores in plain text. */
const AUTO_MS = 2000;
/** The user may have to unlock it. */
const KEYCHAIN_MS = 30_000;
const KEY_LOCK = "credentials-key";

export function openCredentialStore(options: StoreOptions): LocalStore {
  return new FolderStore(options);
}

class FolderStore implements LocalStore {
  readonly #modeNow: () => CredentialMode;
  readonly #files: RecordFiles;
  readonly #key: KeychainKey;
  readonly #lockTiming: LockTiming;
  readonly #watchTiming: WatchTiming;
  /** The last caller in this process for each lock. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor({ mode, env, folder, keySource, lockTiming, watchTiming }: StoreOptions) {
    this.#modeNow = typeof mode === "function" ? mode : () => mode;
    this.#lockTiming = { ...LOCK_TIMING, ...lockTiming };
    this.#watchTiming = watchTiming ?? WATCH_TIMING;
    this.#key = new KeychainKey(
      keySource ?? keychainSource(env),
      (work) => this.#locked(KEY_LOCK, "(its encryption key)", work),
      this.#lockTiming.monotonic,
    );
    this.#files = new RecordFiles(
      folder ?? join(stateDir(thisMachine(env)), "credentials"),
      this.#key,
    );
  }

  async read(id: CredentialId): Promise<CredentialRecord | undefined> {
    return this.readFile(credentialFileName(id), labelOf(id));
  }

  async readFile(name: string, label: string): Promise<CredentialRecord | undefined> {
    return (await this.#files.read(name, label))?.record;
  }

  get folder(): string {
    return this.#files.folder;
  }

  async prepare(): Promise<void> {
    ensureWritableFolder(this.#files.folder);
    if (this.#mode === "keychain") await this.#keyToWrite();
  }

  async write(record: CredentialRecord): Promise<void> {
    await this.#files.write(record, await this.#keyToWrite());
  }

  async remove(id: CredentialId): Promise<boolean> {
    return this.#files.remove(credentialFileName(id));
  }

  async removeFile(file: string): Promise<boolean> {
    return this.#files.remove(basename(file));
  }

  async list(): Promise<readonly StoredCredential[]> {
    const { folder } = this.#files;
    assertFolder(folder);
    const found: StoredCredential[] = [];
    for (const name of recordNames(folder)) {
      const file = join(folder, name);
      try {
        const read = await this.#files.read(name, `in ${file}`);
        if (read !== undefined) found.push({ file, record: read.record });
      } catch (problem) {
        found.push({ file, problem: problem as Error });
      }
    }
    return found;
  }

  async withLock<T>(id: CredentialId, work: (lock: CredentialLock) => Promise<T>): Promise<T> {
    return this.withFileLock(credentialFileName(id), labelOf(id), work);
  }

  async withFileLock<T>(
    file: string,
    label: string,
    work: (lock: CredentialLock) => Promise<T>,
  ): Promise<T> {
    return this.#locked(file.replace(/\.json$/, ""), label, work);
  }

  watch(onChange: () => void): () => void {
    return watchRecords(this.#files.folder, onChange, this.#watchTiming);
  }

  async protection(): Promise<Protection> {
    if (this.#mode === "file") return { kind: "file" };
    try {
      await this.#key.read(this.#mode === "auto" ? AUTO_MS : KEYCHAIN_MS);
      return { kind: "keychain" };
    } catch (error) {
      return { kind: this.#mode === "auto" ? "file" : "keychain", reason: reasonOf(error) };
    }
  }

  async check(): Promise<StoreCheck> {
    return checkStore(this.#files, this.#mode, () => this.protection());
  }

  get #mode(): CredentialMode {
    return this.#modeNow();
  }

  async #keyToWrite(): Promise<EncryptionKey | undefined> {
    if (this.#mode === "file") return undefined;
    try {
      return await this.#key.readOrCreate(this.#mode === "auto" ? AUTO_MS : KEYCHAIN_MS);
    } catch (error) {
      if (this.#mode === "auto") return undefined;
      const hint = 'Unlock it, or set "credentials" to "auto" or "file" in the configuration';
      const reason = reasonOf(error);
      throw workbenchError("SECRETS_UNAVAILABLE", { store: "the keychain", reason }, hint, error);
    }
  }

  /** Callers in this process wait for each other first: only one of them looks at the file. */
  async #locked<T>(
    name: string,
    label: string,
    work: (lock: CredentialLock) => Promise<T>,
  ): Promise<T> {
    const previous = this.#queues.get(name);
    const file = join(this.#files.folder, `${name}.lock`);
    const failures = this.#files.failuresOf(name);
    const run = (async () => {
      await previous;
      return this.#withLockFile(file, label, (lock) =>
        work({
          assertHeld: () => lock.assertHeld(),
          failure: failures.read(),
          shareFailure: (failure) => failures.write(failure),
        }),
      );
    })();
    const ended = run.then(
      () => {},
      () => {},
    );
    this.#queues.set(name, ended);
    try {
      return await run;
    } finally {
      if (this.#queues.get(name) === ended) this.#queues.delete(name);
    }
  }

  async #withLockFile<T>(
    file: string,
    label: string,
    work: (lock: HeldLock) => Promise<T>,
  ): Promise<T> {
    ensureFolder(this.#files.folder);
    const lock = await takeLock(file, this.#lockTiming, (reason) =>
      workbenchError("CREDENTIAL_BUSY", { credential: label, reason }, "Try again"),
    );
    try {
      return await work(lock);
    } finally {
      // A lock that cannot be removed gets stale.
      await lock.release().catch(() => undefined);
    }
  }
}
