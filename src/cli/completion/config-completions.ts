import { loadConfig } from "../../config/load.ts";
import { firstSentence } from "../../search/sentence.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { Scope } from "../../workbench/scopes.ts";
import { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../core/command.ts";
import { seenScope, seenTools } from "../use/seen-tools.ts";
import { expectationOf, propertiesOf } from "../../workbench/meta-tools/tool-schema.ts";

/** A completion and its description. */
export interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

/**
 * Completions from a configuration and the cached tool lists of its servers. Nothing is started: a
 * server that is not cached has no tools yet.
 */
export class ConfigCompletions {
  readonly #workbench: Workbench | undefined;
  readonly #toolboxes: Scope;

  private constructor(workbench: Workbench | undefined, toolboxes: Scope) {
    this.#workbench = workbench;
    this.#toolboxes = toolboxes;
  }

  /** `showsAll` is for commands about the configuration; others complete what the policy shows. */
  static async read(
    file: string | undefined,
    { env, cwd }: Pick<Context, "env" | "cwd">,
    showsAll: boolean,
  ): Promise<ConfigCompletions> {
    const settings = await loadConfig({ file, env, cwd }).catch(() => undefined);
    if (settings === undefined) return new ConfigCompletions(undefined, new Map());
    const { log } = settings;
    const workbench = new Workbench({ ...settings, log: { ...log, level: "silent" } });
    await workbench.pipeline.preparing;
    return new ConfigCompletions(workbench, showsAll ? workbench.toolboxes : seenScope(workbench));
  }

  toolboxes(end = ""): readonly Candidate[] {
    return Array.from(this.#toolboxes.values(), ({ name, settings }) => ({
      word: `${name}${end}`,
      meaning: settings.description,
    }));
  }

  servers(end = ""): readonly Candidate[] {
    return [...this.#toolboxes.values()].flatMap((box) =>
      Array.from(box.servers.keys(), (server) => ({
        word: `${box.name}/${server}${end}`,
        meaning: box.settings.description,
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

  async #remembered(toolbox: string, name: string): Promise<readonly ListedTool[]> {
    const workbench = this.#workbench;
    const server = this.#toolboxes.get(toolbox)?.servers.get(name);
    if (workbench === undefined || server === undefined) return [];
    const known = await workbench.catalogues.load(server);
    if (known === undefined) return [];
    return [...seenTools(workbench, server, known.catalogue).tools.values()];
  }
}

const MEANING_LENGTH = 80;
/** More would be slow, and no shell shows them. */
const MAX_ARGUMENTS = 200;
/** Servers choose these names, so only those that a shell reads as one word are offered. */
const SHELL_SAFE = /^[\w./@+,-]+$/;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
