import { rm } from "node:fs/promises";
import { dirname } from "node:path";

import { reasonOf, workbenchError } from "../errors.ts";
import { updateFile } from "../files/update-file.ts";
import { createFolders } from "../files/write-atomic.ts";
import { parseDotenv, removeVariables, setVariables, variablesOf } from "./dotenv.ts";
import { readSecretsFile, type SecretsFileOptions } from "./secrets-file.ts";
import type { SecretStore } from "./store.ts";

const HEADER = `# Secrets of MCP Workbench. Only you can read this file; do not share or commit it.
# Change it with 'mcp-workbench secret', or edit it: NAME=value. A configuration refers to \${NAME}.
`;

/** Secrets in a file that only its owner can read. Edits keep comments, order and all other lines. */
export class EnvFileStore implements SecretStore {
  readonly kind = "env-file";
  readonly label: string;
  readonly #file: string;
  readonly #options: SecretsFileOptions;

  constructor(file: string, options: SecretsFileOptions = { links: "refuse" }) {
    this.label = file;
    this.#file = file;
    this.#options = options;
  }

  reference(name: string): string {
    return `\${${name}}`;
  }

  async assertUsable(): Promise<void> {
    this.#read();
  }

  async get(names: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const all = variablesOf(parseDotenv(this.#read() ?? ""));
    const wanted = new Set(names);
    return new Map([...all].filter(([name]) => wanted.has(name)));
  }

  async names(): Promise<readonly string[]> {
    return [...variablesOf(parseDotenv(this.#read() ?? "")).keys()];
  }

  async set(values: ReadonlyMap<string, string>): Promise<void> {
    await this.#edit((text = HEADER) => setVariables(text, values));
  }

  /** Deletes a file that holds nothing but the comment it was created with. */
  async remove(names: Iterable<string>): Promise<readonly string[]> {
    const there = [...(await this.get(names)).keys()];
    if (there.length === 0) return there;
    await this.#edit((text = "") => removeVariables(text, new Set(there)));
    if (this.#read() === HEADER) await rm(this.#file, { force: true });
    return there;
  }

  #read(): string | undefined {
    try {
      return readSecretsFile(this.#file, this.#options);
    } catch (error) {
      const reason = reasonOf(error);
      throw workbenchError("FILE_INVALID", { file: this.#file, at: "", reason }, undefined, error);
    }
  }

  async #edit(change: (text: string | undefined) => string): Promise<void> {
    await createFolders(dirname(this.#file));
    await updateFile(this.#file, () => this.#read(), change);
  }
}
