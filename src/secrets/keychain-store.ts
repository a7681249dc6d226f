import { workbenchError, type WorkbenchError } from "../errors.ts";
import { thisMachine, type Machine } from "../config/directories.ts";
import { EarlierKeychain } from "./earlier-keychain.ts";
import { decodeSecret, encodeSecret } from "./keychain-encoding.ts";
import { KeychainNames } from "./keychain-names.ts";
import { type Keyring, keyringLabel, openKeyring } from "./keyring.ts";
import type { SecretStore } from "./store.ts";

/** The longest value in characters. Windows stores at most 2560 bytes, two for each character. */
const MAX_CHARS: Readonly<Partial<Record<NodeJS.Platform, number>>> = { win32: 1280 };
const MAX_CHARS_ELSEWHERE = 64 * 1024;

/** The keychain of the operating system. */
export class KeychainStore implements SecretStore {
  readonly kind = "keychain";
  readonly label: string;
  readonly #machine: Machine;
  readonly #names: KeychainNames;
  readonly #earlier: EarlierKeychain | undefined;

  constructor(machine: Machine = thisMachine()) {
    this.#machine = machine;
    this.#names = new KeychainNames(machine);
    this.label = keyringLabel(machine.platform);
    this.#earlier = machine.platform === "linux" ? new EarlierKeychain(machine.env) : undefined;
  }

  reference(name: string): string {
    return `\${keychain:${name}}`;
  }

  /** Asks for a name that is never stored, so a locked or missing keychain shows. */
  async assertUsable(): Promise<void> {
    await (await this.#open()).get("MCP_WORKBENCH_TEST");
  }

  async get(names: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const keyring = await this.#open();
    const found = await Promise.all(
      [...new Set(names)].map(async (name) => [name, await this.#read(keyring, name)] as const),
    );
    return new Map(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  }

  async names(): Promise<readonly string[]> {
    return this.#names.read();
  }

  async set(values: ReadonlyMap<string, string>): Promise<void> {
    const keyring = await this.#open();
    const encoded = Array.from(values, ([name, value]) => [name, encodeSecret(value)] as const);
    const maxChars = MAX_CHARS[this.#machine.platform] ?? MAX_CHARS_ELSEWHERE;
    for (const [name, value] of encoded)
      if (value.length > maxChars)
        throw this.#failure(`${name} is too long for it (at most ${maxChars} characters)`);
    // First, so that a secret that was stored can always be listed.
    await this.#names.add(values.keys());
    for (const [name, value] of encoded) {
      await keyring.set(name, value);
      // Some keychains report success although nothing was stored.
      if ((await keyring.get(name)) !== value) throw this.#failure(`${name} was not stored`);
      await this.#earlier?.remove(name);
    }
    // Running workbenches watch that file, and read the new values now.
    await this.#names.add(values.keys());
  }

  async remove(names: Iterable<string>): Promise<readonly string[]> {
    const keyring = await this.#open();
    const removed: string[] = [];
    for (const name of names) {
      if ((await this.#read(keyring, name)) !== undefined) {
        await keyring.delete(name);
        await this.#earlier?.remove(name);
        removed.push(name);
      }
      await this.#names.remove(name);
    }
    return removed;
  }

  async #read(keyring: Keyring, name: string): Promise<string | undefined> {
    const stored = (await keyring.get(name)) ?? (await this.#earlier?.get(name));
    return stored === undefined ? undefined : decodeSecret(stored);
  }

  #open(): Promise<Keyring> {
    return openKeyring({ env: this.#machine.env });
  }

  #failure(reason: string): WorkbenchError {
    return workbenchError("SECRETS_UNAVAILABLE", { store: this.label, reason });
  }
}
