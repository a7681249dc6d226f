import { findConfig } from "../../config/load.ts";
import { thisMachine } from "../../config/directories.ts";
import { KeychainStore } from "../../secrets/keychain-store.ts";
import { storeOf } from "../../secrets/stores.ts";
import type { Context } from "../core/command.ts";
import { secretsFileOf } from "../secret/secrets-file-of.ts";

/** The secrets that are stored where the options say; none if they cannot be read. */
export async function secretNames(
  given: readonly string[],
  config: string | undefined,
  { env, cwd }: Pick<Context, "env" | "cwd">,
): Promise<readonly string[]> {
  if (given[0] !== "rm" && given[0] !== "set") return [];
  try {
    // The keychain itself is not asked.
    if (given.includes("--keychain")) return await new KeychainStore(thisMachine(env)).names();
    const found = await findConfig({ file: config, env, cwd });
    const store = storeOf("env-file", { ...(await secretsFileOf(found, env)), env });
    return await store.names();
  } catch {
    return [];
  }
}
