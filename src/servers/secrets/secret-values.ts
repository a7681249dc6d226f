import type { SecretReference } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { KeychainStore } from "../../secrets/keychain-store.ts";
import { readSecretFile } from "../../secrets/secret-file.ts";
import { ServerProblem } from "../server-problem.ts";
import { type CommandHost, runSecretCommand } from "./run-secret-command.ts";

export interface SecretHost extends CommandHost {
  readonly log: Logger;
}

/** Why a secret has no value. */
export class SecretProblem extends ServerProblem {
  constructor(message: string) {
    super("secretUnavailable", message);
  }
}

/**
 * Reads secrets. Requests for the same secret at the same time share one reading, and what a command
 * printed is used again for some time.
 */
export class SecretValues {
  readonly #host: SecretHost;
  readonly #reading = new Map<string, Promise<string>>();
  readonly #printed = new Map<string, { readonly value: string; readonly until: number }>();
  readonly #warned = new Set<string>();

  constructor(host: SecretHost) {
    this.#host = host;
  }

  /** The value, which is hidden from now on. Throws a SecretProblem with what to do. */
  async valueOf(reference: SecretReference): Promise<string> {
    const { fallback, ...source } = reference;
    const key = JSON.stringify(source);
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      reading = this.#read(reference, key).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    const value = await reading.catch((error: unknown) => {
      // As for variables, a default applies where there is no keychain. A command that fails is
      // a problem of its own.
      if (reference.kind === "keychain" && fallback !== undefined) return "";
      throw error;
    });
    if (value !== "") return value;
    if (fallback !== undefined) return fallback;
    throw new SecretProblem(emptyText(reference));
  }

  async #read(reference: SecretReference, key: string): Promise<string> {
    try {
      const value = await this.#valueFrom(reference, key);
      this.#host.hide([value]);
      return value;
    } catch (error) {
      throw new SecretProblem(`${nameOf(reference)}: ${reasonOf(error)}`);
    }
  }

  /** Empty if there is no such secret. */
  async #valueFrom(reference: SecretReference, key: string): Promise<string> {
    if (reference.kind === "keychain") {
      const { name } = reference;
      return (await new KeychainStore().get([name])).get(name) ?? "";
    }
    if (reference.kind === "file") return this.#contentOf(reference.path, reference.within);
    const known = this.#printed.get(key);
    if (known !== undefined && performance.now() < known.until) return known.value;
    this.#printed.delete(key);
    const { run } = reference;
    const value = await runSecretCommand(run, this.#host);
    if (run.cacheMs > 0) this.#printed.set(key, { value, until: performance.now() + run.cacheMs });
    return value;
  }

  #contentOf(path: string, within: string | undefined): string {
    const found = readSecretFile(path, within);
    const { warning } = found ?? {};
    if (warning !== undefined && !this.#warned.has(path)) {
      this.#warned.add(path);
      this.#host.log.warn(`a server reads a secret from a file: ${warning}`);
    }
    return found?.value ?? "";
  }
}

function nameOf(reference: SecretReference): string {
  if (reference.kind === "file") return `cannot read ${reference.path}`;
  return reference.kind === "command"
    ? `secret command ${reference.name}`
    : `${reference.name} cannot be read from the keychain`;
}

function emptyText(reference: SecretReference): string {
  if (reference.kind === "keychain")
    return `${reference.name} is not in the keychain. Set it with: mcp-workbench secret set ${reference.name} --keychain`;
  if (reference.kind === "file") return `${reference.path} does not exist or is empty. Create it`;
  const [program] = reference.run.command;
  return `secret command ${reference.name}: it printed nothing. Run '${program}' by hand to see why`;
}
