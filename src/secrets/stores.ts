import type { Environment } from "../config/canonical/expand.ts";
import { thisMachine } from "../config/directories.ts";
import { EnvFileStore } from "./env-file-store.ts";
import { KeychainStore } from "./keychain-store.ts";
import type { SecretsFileOptions } from "./secrets-file.ts";
import type { SecretStore } from "./store.ts";

export interface StoreOptions {
  /** The file with secrets; used by `env-file` only. */
  readonly file: string;
  readonly links?: SecretsFileOptions["links"];
  readonly env: Environment;
}

/** The store of a kind. */
export function storeOf(
  kind: SecretStore["kind"],
  { file, links = "refuse", env }: StoreOptions,
): SecretStore {
  return kind === "env-file"
    ? new EnvFileStore(file, { links })
    : new KeychainStore(thisMachine(env));
}
