/** A store for unit tests, and what its errors must never contain. */
import { join } from "node:path";
import { expect } from "vitest";

import { credentialFileName } from "../../src/credentials/credential-id.ts";
import type { CredentialRecord } from "../../src/credentials/record.ts";
import { openCredentialStore, type StoreOptions } from "../../src/credentials/store.ts";
import type { CredentialStore } from "../../src/credentials/types.ts";
import { isWorkbenchError } from "../../src/errors.ts";
import { CANARY, credentialFolder, memoryKeychain } from "./credentials.ts";
import type { Disposables } from "./disposables.ts";

/** A store with a keychain in memory; `open` makes more stores of the same folder. */
export function storeForTest(
  disposables: Disposables,
  first: CredentialRecord,
  options: Partial<StoreOptions>,
) {
  const folder = credentialFolder(disposables);
  const keychain = memoryKeychain();
  const open = (more: Partial<StoreOptions> = {}): CredentialStore =>
    openCredentialStore({
      mode: "auto",
      env: {},
      folder,
      keySource: keychain,
      ...options,
      ...more,
    });
  const fileOf = (record = first): string => join(folder, credentialFileName(record));
  return { folder, keychain, open, store: open(), fileOf };
}

/** The text and code of the error with which the work fails; it must not contain a secret. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: string; text: string }> {
  const error: unknown = await work.then(
    () => expect.unreachable("it did not fail"),
    (thrown: unknown) => thrown,
  );
  if (!isWorkbenchError(error)) throw error;
  expect(`${error.text} ${error.stack} ${String(error.cause)}`).not.toContain(CANARY);
  return { code: error.code, text: error.text };
}
