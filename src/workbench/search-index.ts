import { ToolIndex } from "../search/tool-index.ts";
import type { Hit, ToolDefinition } from "../search/types.ts";
import type { Catalogue, ListedTool } from "../servers/tools/catalogue.ts";
import type { Server } from "../servers/server.ts";
import { withOrigin } from "./open-toolbox.ts";
import type { Workbench } from "./workbench.ts";

/** Indexing gives way to whatever else there is to do after this time. */
const SLICE_MS = 10;

interface Indexed {
  readonly toolbox: string;
  readonly catalogue: Catalogue;
  readonly instructions: string | undefined;
}

/** The index of all tools that are known of, kept in step with what is known. */
export class SearchIndex {
  readonly tools = new ToolIndex();
  readonly #workbench: Workbench;
  readonly #indexed = new Map<Server, Indexed>();
  /** The definitions by the values that were indexed. */
  readonly #definitions = new WeakMap<object, ListedTool>();
  #updating: Promise<void> = Promise.resolve();

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** Takes over what has been learned since; one at a time. */
  update(): Promise<void> {
    this.#updating = this.#updating.then(() => this.#update());
    return this.#updating;
  }

  finds(query: string, toolboxes: ReadonlySet<string>): boolean {
    return this.tools.search(query, { limit: 1, toolboxes }).length > 0;
  }

  /** The definition as the server wrote it. */
  definitionOf({ toolbox, server, tool }: Hit): string {
    const listed = this.#definitions.get(tool);
    return listed === undefined ? JSON.stringify(tool) : withOrigin(listed, toolbox, server);
  }

  async #update(): Promise<void> {
    const toolboxes = [...this.#workbench.toolboxes.values()];
    const servers = toolboxes.flatMap((toolbox) =>
      [...toolbox.servers.values()].filter(({ settings }) => !settings.disabled),
    );
    await Promise.all(servers.map((server) => this.#workbench.catalogues.recall(server)));
    this.tools.setToolboxes(toolboxes.map(({ settings }) => settings));
    for (const [server, { toolbox }] of this.#indexed)
      if (!servers.includes(server)) {
        this.tools.removeServer(toolbox, server.name);
        this.#indexed.delete(server);
      }
    let since = performance.now();
    for (const server of servers) {
      this.#take(server);
      if (performance.now() - since < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
  }

  #take(server: Server): void {
    const known = this.#workbench.catalogues.known(server);
    if (known === undefined) return;
    const { catalogue, instructions } = known;
    const before = this.#indexed.get(server);
    if (before?.catalogue === catalogue && before.instructions === instructions) return;
    const { toolbox } = server.settings;
    const values = Array.from(catalogue.tools.values(), (tool) => {
      this.#definitions.set(tool.value, tool);
      return tool.value as ToolDefinition;
    });
    this.tools.replaceServer(toolbox, server.name, values, instructions);
    this.#indexed.set(server, { toolbox, catalogue, instructions });
  }
}
