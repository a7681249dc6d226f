import { randomBytes } from "node:crypto";

import type { Environment } from "../config/canonical/expand.ts";
import { runKeyring } from "../secrets/keyring-process.ts";
import { type EncryptionKey, encryptionKey, KEY_BYTES } from "./file-format.ts";

/** Where the key of the credentials is stored, as text. Each call rejects with a short reason. */
export interface KeySource {
  read(timeoutMs: number): Promise<string | undefined>;
  write(value: string, timeoutMs: number): Promise<void>;
}

const ENTRY = { service: "mcp-workbench", account: "credentials-key" };

/** The keychain of the operating system. */
export function keychainSource(env: Environment): KeySource {
  return {
    read: (timeoutMs) => runKeyring({ ...ENTRY, action: "get" }, { env, timeoutMs }),
    async write(value, timeoutMs) {
      await runKeyring({ ...ENTRY, action: "set", value }, { env, timeoutMs });
    },
  };
}

/** After a failure, the keychain is left alone for this time: it may ask the user each time. */
const RETRY_MS = 30_000;

/** The key in the keychain. Concurrent callers share one request to the keychain. */
export class KeychainKey {
  readonly #source: KeySource;
  readonly #withLock: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #monotonic: () => number;
  #key: EncryptionKey | undefined;
  #failure: { readonly error: Error; readonly at: number } | undefined;
  #pending: Promise<EncryptionKey | undefined> | undefined;
  /** When the keychain was last found not to have the key of this id. */
  readonly #missing = new Map<string, number>();

  /** `withLock` keeps two processes from creating a key each. */
  constructor(
    source: KeySource,
    withLock: <T>(work: () => Promise<T>) => Promise<T>,
    monotonic: () => number,
  ) {
    this.#source = source;
    this.#withLock = withLock;
    this.#monotonic = monotonic;
  }

  /** The key; undefined if there is none. */
  async read(timeoutMs: number): Promise<EncryptionKey | undefined> {
    return this.#key ?? this.#once(() => this.#readNow(timeoutMs));
  }

  /** The key with this id; undefined if it is gone. Another process may have replaced the known key. */
  async find(id: string, timeoutMs: number): Promise<EncryptionKey | undefined> {
    if (this.#key?.id === id) return this.#key;
    const missingSince = this.#missing.get(id);
    if (missingSince !== undefined && this.#monotonic() - missingSince < RETRY_MS) return undefined;
    const key = await this.#once(() => this.#readNow(timeoutMs));
    if (key?.id === id) return key;
    this.#missing.set(id, this.#monotonic());
    return undefined;
  }

  /** The key, created if there is none. */
  async readOrCreate(timeoutMs: number): Promise<EncryptionKey> {
    const key = (await this.read(timeoutMs)) ?? (await this.#once(() => this.#create(timeoutMs)));
    // Without a key, this was the answer to a caller that only read.
    return key ?? this.readOrCreate(timeoutMs);
  }

  async #readNow(timeoutMs: number): Promise<EncryptionKey | undefined> {
    const text = await this.#source.read(timeoutMs);
    this.#key = text === undefined ? undefined : parseKey(text);
    return this.#key;
  }

  async #create(timeoutMs: number): Promise<EncryptionKey> {
    return this.#withLock(async () => {
      const existing = await this.#readNow(timeoutMs);
      if (existing !== undefined) return existing;
      const created = randomBytes(KEY_BYTES).toString("base64");
      await this.#source.write(created, timeoutMs);
      // Some keychains report success although nothing was stored.
      const stored = await this.#readNow(timeoutMs);
      if (stored === undefined) throw new Error("it did not store the key");
      return stored;
    });
  }

  async #once(work: () => Promise<EncryptionKey | undefined>): Promise<EncryptionKey | undefined> {
    if (this.#pending !== undefined) return this.#pending;
    const failure = this.#failure;
    if (failure !== undefined && this.#monotonic() - failure.at < RETRY_MS) throw failure.error;
    this.#pending = work();
    try {
      const key = await this.#pending;
      this.#failure = undefined;
      return key;
    } catch (error) {
      this.#failure = { error: error as Error, at: this.#monotonic() };
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }
}

function parseKey(text: string): EncryptionKey {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== KEY_BYTES)
    throw new Error(`its entry ${ENTRY.account} of ${ENTRY.service} is not a key; delete it`);
  return encryptionKey(bytes);
}
