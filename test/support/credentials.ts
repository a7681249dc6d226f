/** Records with secrets that are easy to find, and a keychain in memory. */
import { rmSync } from "node:fs";
import { join } from "node:path";

import { newFolder } from "./new-folder.ts";
import { credentialId } from "../../src/credentials/credential-id.ts";
import type { KeySource } from "../../src/credentials/keychain-key.ts";
import type { CredentialRecord } from "../../src/credentials/record.ts";
import type { Disposables } from "./disposables.ts";

/** Every secret of `recordOf` contains it. */
export const CANARY = "canary-3f9a";

export function recordOf(url: string, account = "default", generation = 1): CredentialRecord {
  return {
    version: 1,
    ...credentialId(url, account),
    generation,
    endpoints: { issuer: "https://issuer.example", tokenEndpoint: "https://issuer.example/token" },
    client: {
      kind: "dcr",
      clientId: "client",
      clientSecret: `${CANARY}-client`,
      authMethod: "client_secret_basic",
    },
    token: {
      accessToken: `${CANARY}-access`,
      refreshToken: `${CANARY}-refresh`,
      expiresAt: 1_800_000_000_000,
      obtainedAt: 1_700_000_000_000,
    },
  };
}

/** A path for a store, in a folder that is removed after the test. */
export function credentialFolder(disposables: Disposables): string {
  const base = newFolder("credentials");
  disposables.defer(() => rmSync(base, { recursive: true, force: true }));
  return join(base, "mcp-workbench", "credentials");
}

export interface MemoryKeychain extends KeySource {
  value: string | undefined;
  /** Why every request fails; undefined: they succeed. */
  failure: string | undefined;
  reads: number;
  writes: number;
}

export function memoryKeychain(): MemoryKeychain {
  const keychain: MemoryKeychain = {
    value: undefined,
    failure: undefined,
    reads: 0,
    writes: 0,
    async read() {
      keychain.reads++;
      await new Promise((resolve) => setImmediate(resolve));
      if (keychain.failure !== undefined) throw new Error(keychain.failure);
      return keychain.value;
    },
    async write(value) {
      keychain.writes++;
      await new Promise((resolve) => setImmediate(resolve));
      if (keychain.failure !== undefined) throw new Error(keychain.failure);
      keychain.value = value;
    },
  };
  return keychain;
}
