import { reasonOf, workbenchError, type WorkbenchError } from "../errors.ts";
import { thisMachine, type Machine } from "../config/directories.ts";
import { decodeSecret, encodeSecret } from "./keychain-encoding.ts";
import { KeychainNames } from "./keychain-names.ts";
import { keychainProgram, type ProgramResult, type ProgramRun } from "./keychain-programs.ts";
import { runProgram } from "./run-program.ts";
import type { SecretStore } from "./store.ts";

/** The keychain of the operating system, through the program that comes with it. */
export class KeychainStore implements SecretStore {
  readonly kind = "keychain";
  readonly label: string;
  readonly #machine: Machine;
  readonly #names: KeychainNames;

  constructor(machine: Machine = thisMachine()) {
    this.#machine = machine;
    this.#names = new KeychainNames(machine);
    this.label = keychainProgram(machine.platform).label;
  }

  reference(name: string): string {
    return `\${keychain:${name}}`;
  }

  /** Asks for a name that is never stored, so a locked or missing keychain shows. */
  async assertUsable(): Promise<void> {
    await this.#read("MCP_WORKBENCH_TEST");
  }

  async get(names: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const found = await Promise.all(
      [...new Set(names)].map(async (name) => [name, await this.#read(name)] as const),
    );
    return new Map(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  }

  async names(): Promise<readonly string[]> {
    return this.#names.read();
  }

  async set(values: ReadonlyMap<string, string>): Promise<void> {
    const program = keychainProgram(this.#machine.platform);
    const encoded = Array.from(values, ([name, value]) => [name, encodeSecret(value)] as const);
    for (const [name, value] of encoded)
      if (value.length > program.maxChars)
        throw this.#failure(`${name} is too long for it (at most ${program.maxChars} characters)`);
    // First, so that a secret that was stored can always be listed.
    await this.#names.add(values.keys());
    for (const [name, value] of encoded) {
      const result = await this.#run(program.set(name, value));
      // Some of these programs report success although nothing was stored.
      if (result.code !== 0 || (await this.#read(name)) !== values.get(name))
        throw this.#failure(`${name} was not stored${reasonIn(result)}`);
    }
  }

  async remove(names: Iterable<string>): Promise<readonly string[]> {
    const program = keychainProgram(this.#machine.platform);
    const removed: string[] = [];
    for (const name of names) {
      if ((await this.#read(name)) !== undefined) {
        const result = await this.#run(program.remove(name));
        if (result.code !== 0 && !program.isMissing(result))
          throw this.#failure(`${name} was not removed${reasonIn(result)}`);
        removed.push(name);
      }
      await this.#names.remove(name);
    }
    return removed;
  }

  async #read(name: string): Promise<string | undefined> {
    const program = keychainProgram(this.#machine.platform);
    const result = await this.#run(program.get(name));
    if (result.code === 0) return decodeSecret(result.stdout);
    if (program.isMissing(result)) return undefined;
    throw this.#failure(`${name} cannot be read${reasonIn(result)}`);
  }

  async #run(run: ProgramRun): Promise<ProgramResult> {
    try {
      return await runProgram(run, this.#machine.env);
    } catch (error) {
      throw this.#failure(`${run.program}: ${reasonOf(error)}`, error);
    }
  }

  #failure(reason: string, cause?: unknown): WorkbenchError {
    const { install } = keychainProgram(this.#machine.platform);
    const hint = cause === undefined ? undefined : `${install}, or store secrets in a file instead`;
    return workbenchError("SECRETS_UNAVAILABLE", { store: this.label, reason }, hint, cause);
  }
}

/** The last line that the program wrote about its failure; it never writes the secret there. */
function reasonIn({ code, stderr }: ProgramResult): string {
  const [line = `exit code ${code}`] = stderr.trim().split("\n").slice(-1);
  return `: ${line.trim() || `exit code ${code}`}`;
}
