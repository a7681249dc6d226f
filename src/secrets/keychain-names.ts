import { dirname } from "node:path";

import { ensurePrivateDir, type Machine } from "../config/directories.ts";
import { readPrivateFile } from "../files/read-private-file.ts";
import { writeFileAtomic } from "../files/write-atomic.ts";
import { isObject, parseJson } from "../text/json.ts";
import { storedNamesFile } from "./stored-names-file.ts";

/**
 * The names of the secrets in the keychain, in a file: the programs of some systems can list
 * secrets only together with their values.
 */
export class KeychainNames {
  readonly #file: string;

  constructor(machine: Machine) {
    this.#file = storedNamesFile(machine);
  }

  async read(): Promise<readonly string[]> {
    const record = parseJson(readPrivateFile(this.#file) ?? "");
    const names = isObject(record) ? record["names"] : undefined;
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  }

  async add(names: Iterable<string>): Promise<void> {
    await this.#write([...(await this.read()), ...names]);
  }

  async remove(name: string): Promise<void> {
    const names = await this.read();
    if (names.includes(name)) await this.#write(names.filter((other) => other !== name));
  }

  async #write(names: readonly string[]): Promise<void> {
    ensurePrivateDir(dirname(this.#file));
    const text = `${JSON.stringify({ version: 1, names: [...new Set(names)].sort() })}\n`;
    await writeFileAtomic(this.#file, text, { mode: 0o600 });
  }
}
