import { isWorkbenchError, reasonOf } from "../errors.ts";
import { KeychainStore } from "../secrets/keychain-store.ts";
import { type Environment, KEYCHAIN_PREFIX } from "./canonical/expand.ts";
import { thisMachine } from "./directories.ts";
import type { KeychainValues } from "./load.ts";

/** Reads the secrets of the keychain that a configuration refers to. */
export async function readKeychain(
  text: string,
  env: Environment = process.env,
): Promise<KeychainValues> {
  const names = Array.from(
    text.matchAll(/(?<!\$)\$\{keychain:([A-Za-z_]\w*)/g),
    ([, name = ""]) => name,
  );
  if (names.length === 0) return { values: new Map(), problem: undefined };
  try {
    const found = await new KeychainStore(thisMachine(env)).get(names);
    return {
      values: new Map(Array.from(found, ([name, value]) => [KEYCHAIN_PREFIX + name, value])),
      problem: undefined,
    };
  } catch (error) {
    return { values: new Map(), problem: isWorkbenchError(error) ? error.text : reasonOf(error) };
  }
}
