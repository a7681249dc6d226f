import type { CredentialMode } from "../config/types.ts";
import type { CredentialId, CredentialRecord } from "./record.ts";

/** How the next record that is written will be protected. */
export interface Protection {
  /** `keychain`: encrypted with a key from the keychain. `file`: plain text that only the user can read. */
  readonly kind: "keychain" | "file";
  /** Why it is not the keychain, or why the keychain cannot be used; undefined if all is as configured. */
  readonly reason?: string;
}

/** The lock of one credential, while `work` runs. */
export interface CredentialLock {
  /**
   * Rejects if another process took the lock over because this one appeared to be dead. Call it right
   * before a refresh token is sent: sending it twice can end the sign-in.
   */
  assertHeld(): Promise<void>;
  /** What went wrong for a holder in another process while this caller waited; trying the same again is of no use. */
  readonly failure: SharedFailure | undefined;
  /** Leaves a failure for the processes that wait for the lock now. */
  shareFailure(failure: SharedFailure): Promise<void>;
}

/** Why a token could not be refreshed, for all processes that wait for it. */
export interface SharedFailure {
  /** The generation that could not be replaced. */
  readonly generation: number;
  readonly reason: string;
  /** How long the authorization server asks to wait; zero if it does not say. */
  readonly retryAfterMs: number;
}

/** A file of the store: its record, or why it cannot be used. */
export type StoredCredential =
  | { readonly file: string; readonly record: CredentialRecord }
  | { readonly file: string; readonly problem: Error };

/** The sign-ins of this user, shared by all processes. */
export interface CredentialStore {
  /** The record; undefined if there is none. Rejects if it cannot be used; the file is kept. */
  read(id: CredentialId): Promise<CredentialRecord | undefined>;
  /** Rejects if records cannot be stored here: before a login, which would be in vain. */
  prepare(): Promise<void>;
  /** Replaces the record. Does not lock: use `withLock` if it depends on what was read. */
  write(record: CredentialRecord): Promise<void>;
  /** Deletes the record, even if it cannot be read. False if there was none. */
  remove(id: CredentialId): Promise<boolean>;
  list(): Promise<readonly StoredCredential[]>;
  /** Deletes a file that `list` named, whatever is in it. */
  removeFile(file: string): Promise<boolean>;
  /**
   * Runs `work` while no other process and no other caller runs one for the same credential. Never
   * wait for a person in it, and never take the same lock in it again.
   */
  withLock<T>(id: CredentialId, work: (lock: CredentialLock) => Promise<T>): Promise<T>;
  /** Calls back after records changed, by any process. Does not keep the process alive. */
  watch(onChange: () => void): () => void;
  /** Asks the keychain, if the mode uses it. */
  protection(): Promise<Protection>;
  /** What `doctor` reports. */
  check(): Promise<StoreCheck>;
}

/** The records of this machine, by the names of their files. */
export interface LocalStore extends CredentialStore {
  readonly folder: string;
  readFile(name: string, label: string): Promise<CredentialRecord | undefined>;
  withFileLock<T>(
    name: string,
    label: string,
    work: (lock: CredentialLock) => Promise<T>,
  ): Promise<T>;
}

export interface StoreCheck {
  readonly folder: string;
  readonly mode: CredentialMode;
  readonly protection: Protection;
  readonly records: { readonly encrypted: number; readonly plain: number };
  /** What is wrong and what to do, a sentence each. Empty if all is well. */
  readonly problems: readonly string[];
}
