import type { Environment } from "../config/canonical/expand.ts";
import { SERVICE } from "./keyring.ts";
import { programPath, runProgram, type ProgramResult } from "./run-program.ts";

/**
 * Secrets that earlier versions stored on Linux, through `secret-tool`: the library cannot find
 * them, because it names the attribute of an entry `username` and not `account`. On macOS and
 * Windows the entries have the same names as before.
 */
export class EarlierKeychain {
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Undefined if there is no such secret, or the program is gone. */
  async get(name: string): Promise<string | undefined> {
    const result = await this.#run("lookup", name);
    return result?.code === 0 ? result.stdout : undefined;
  }

  async remove(name: string): Promise<void> {
    await this.#run("clear", name);
  }

  async #run(action: string, name: string): Promise<ProgramResult | undefined> {
    if (programPath(PROGRAM, this.#env) === undefined) return undefined;
    const args = [action, "service", SERVICE, "account", name];
    return runProgram({ program: PROGRAM, args, input: "" }, this.#env).catch(() => undefined);
  }
}

const PROGRAM = "secret-tool";
