import type { Environment } from "../../config/canonical/expand.ts";
import type { SecretStore } from "../../secrets/store.ts";

/**
 * Whether a reference to a name would mean a different value than the one that is stored under it: a variable of the
 * environment counts more than one in a file. A keychain has names of its own.
 */
export function shadowsIn(
  place: SecretStore["kind"] | "variables" | "keep",
  env: Environment,
): (name: string, value: string) => boolean {
  if (place === "keychain") return () => false;
  return (name, value) => env[name] !== undefined && env[name] !== value;
}
