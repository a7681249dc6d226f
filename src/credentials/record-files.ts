import { rm } from "node:fs/promises";
import { join } from "node:path";

import { isWorkbenchError, reasonOf, workbenchError, type WorkbenchError } from "../errors.ts";
import { writeFileAtomic } from "../files/write-atomic.ts";
import { codeOf } from "../text/error-code.ts";
import { credentialFileName } from "./credential-id.ts";
import { encryptedText, parseFile, plainText, type EncryptionKey } from "./file-format.ts";
import type { KeychainKey } from "./keychain-key.ts";
import { assertFolder, assertReplaceable, ensureFolder, readAndProtect } from "./private-files.ts";
import type { CredentialId, CredentialRecord } from "./record.ts";
import { assertRecord } from "./record-shape.ts";
import { forgetFailure, SharedFailureFile } from "./shared-failure.ts";

export interface ReadFile {
  readonly record: CredentialRecord;
  readonly isEncrypted: boolean;
}

/**
 * There is no fallback for an encrypted record, so the user gets time to unlock the keychain. Less than a server
 * has to connect (30 seconds by default): otherwise the server would be blamed for the keychain.
 */
const UNLOCK_MS = 20_000;
const LOG_IN_AGAIN = "Sign in again with `mcp-workbench login`";

/** The files of a folder, one for each record. */
export class RecordFiles {
  readonly folder: string;
  readonly #key: KeychainKey;

  constructor(folder: string, key: KeychainKey) {
    this.folder = folder;
    this.#key = key;
  }

  /** The record in a file of the folder; `label` names it in errors. */
  async read(name: string, label: string): Promise<ReadFile | undefined> {
    try {
      assertFolder(this.folder);
      const text = readAndProtect(join(this.folder, name));
      if (text === undefined) return undefined;
      const content = parseFile(text, name);
      const isEncrypted = content.kind === "encrypted";
      const record = isEncrypted
        ? content.decrypt(await this.#keyOf(content.keyId, label))
        : content.record;
      assertRecord(record);
      if (credentialFileName(record) !== name) throw new Error("it belongs to a different server");
      return { record, isEncrypted };
    } catch (error) {
      throw isWorkbenchError(error) ? error : unusable(label, error);
    }
  }

  /** Replaces the file of a record; without a key in plain text. */
  async write(record: CredentialRecord, key: EncryptionKey | undefined): Promise<void> {
    assertRecord(record);
    const name = credentialFileName(record);
    const file = join(this.folder, name);
    ensureFolder(this.folder);
    try {
      await assertReplaceable(file);
    } catch (error) {
      throw workbenchError("FILE_NOT_WRITABLE", { file, reason: reasonOf(error) }, "Delete it");
    }
    const text = key === undefined ? plainText(record) : encryptedText(record, name, key);
    await writeFileAtomic(file, text, { mode: 0o600 });
    await forgetFailure(file);
  }

  async remove(name: string): Promise<boolean> {
    const file = join(this.folder, name);
    assertFolder(this.folder);
    try {
      await forgetFailure(file);
      await rm(file);
      return true;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      throw workbenchError(
        "FILE_NOT_WRITABLE",
        { file, reason: reasonOf(error) },
        undefined,
        error,
      );
    }
  }

  /** What holders of this lock leave for those that wait; call it before waiting. */
  failuresOf(lock: string): SharedFailureFile {
    return new SharedFailureFile(join(this.folder, `${lock}.lock`));
  }

  async #keyOf(id: string, label: string): Promise<EncryptionKey> {
    let key: EncryptionKey | undefined;
    try {
      key = await this.#key.find(id, UNLOCK_MS);
    } catch (error) {
      const reason = `it is encrypted, and the keychain cannot be used: ${reasonOf(error)}`;
      throw unusable(label, reason, `Unlock the keychain and try again, or sign in again`);
    }
    if (key !== undefined) return key;
    throw unusable(label, "the key that encrypted it is no longer in the keychain");
  }
}

/** Names a credential in messages. A query may contain secrets. */
export function labelOf({ url, account, user }: CredentialId): string {
  const { origin, pathname } = new URL(url);
  const whose = user === undefined ? "" : `, user '${user.name}'`;
  return `for ${origin}${pathname} (account '${account}'${whose})`;
}

function unusable(label: string, why: unknown, hint: string = LOG_IN_AGAIN): WorkbenchError {
  return workbenchError("CREDENTIAL_UNUSABLE", { credential: label, reason: reasonOf(why) }, hint);
}
