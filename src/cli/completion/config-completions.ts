import { loadConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { firstSentence } from "../../search/sentence.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../core/command.ts";
import { expectationOf, propertiesOf } from "../../workbench/meta-tools/tool-schema.ts";

/** A completion and its description. */
export interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

/** Completions from a configuration and the cached tool lists of its servers. */
export class ConfigCompletions {
  readonly #settings: WorkbenchSettings | undefined;

  private constructor(settings: WorkbenchSettings | undefined) {
    this.#settings = settings;
  }

  static async read(
    file: string | undefined,
    { env, cwd }: Pick<Context, "env" | "cwd">,
  ): Promise<ConfigCompletions> {
    return new ConfigCompletions(await loadConfig({ file, env, cwd }).catch(() => undefined));
  }

  toolboxes(end = ""): readonly Candidate[] {
    return Array.from(this.#settings?.toolboxes.values() ?? [], ({ name, description }) => ({
      word: `${name}${end}`,
      meaning: description,
    }));
  }

  servers(end = ""): readonly Candidate[] {
    return [...(this.#settings?.toolboxes.values() ?? [])].flatMap((box) =>
      Array.from(box.servers.keys(), (server) => ({
        word: `${box.name}/${server}${end}`,
        meaning: box.description,
      })),
    );
  }

  /** The cached tools of the server that a word starts with. */
  async tools(word: string): Promise<readonly Candidate[]> {
    const [toolbox = "", server = ""] = word.split("/");
    return (await this.#remembered(toolbox, server))
      .filter(({ name }) => SHELL_SAFE.test(name))
      .map(({ name, value }) => ({
        word: `${toolbox}/${server}/${name}`,
        meaning: firstSentence(textOf(value["description"]), MEANING_LENGTH),
      }));
  }

  /** The arguments of a tool, as `name=`. */
  async arguments(word: string): Promise<readonly Candidate[]> {
    const [toolbox = "", server = "", ...rest] = word.split("/");
    const tools = await this.#remembered(toolbox, server);
    const schema = tools.find(({ name }) => name === rest.join("/"))?.value["inputSchema"];
    return Object.entries(propertiesOf(schema))
      .filter(([name]) => SHELL_SAFE.test(name))
      .slice(0, MAX_ARGUMENTS)
      .map(([name, property]) => ({
        word: `${name}=`,
        meaning: expectationOf(property, schema),
      }));
  }

  /** Nothing is started: a server that is not cached has no tools yet. */
  async #remembered(toolbox: string, server: string): Promise<readonly ListedTool[]> {
    if (this.#settings === undefined) return [];
    const { log } = this.#settings;
    const workbench = new Workbench({ ...this.#settings, log: { ...log, level: "silent" } });
    const found = workbench.toolboxes.get(toolbox)?.servers.get(server);
    const known = found && (await workbench.catalogues.load(found));
    return [...(known?.catalogue.tools.values() ?? [])];
  }
}

// --- internal ---

const MEANING_LENGTH = 80;
/** More would be slow, and no shell shows them. */
const MAX_ARGUMENTS = 200;
/** Servers choose these names, so only those that a shell reads as one word are offered. */
const SHELL_SAFE = /^[\w./@+,-]+$/;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
