import { join } from "node:path";

import { type Machine, stateDir, thisMachine } from "../config/directories.ts";

/** The file with the names of the secrets in the keychain. It is replaced after each change there. */
export function storedNamesFile(machine: Machine = thisMachine()): string {
  return join(stateDir(machine), "keychain.json");
}
