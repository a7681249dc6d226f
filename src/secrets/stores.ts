import type { Environment } from "../config/canonical/expand.ts";
import { thisMachine } from "../config/directories.ts";
import { EnvFileStore } from "./env-file-store.ts";
import { KeychainStore } from "./keychain-store.ts";
import type { SecretStore } from "./store.ts";

/** The store of a kind; `file` is used by `env-file` only. */
export function storeOf(
  kind: SecretStore["kind"],
  file: string,
  env: Environment = process.env,
): SecretStore {
  return kind === "env-file" ? new EnvFileStore(file) : new KeychainStore(thisMachine(env));
}
