import { reasonOf } from "../../errors.ts";
import { aboutServer } from "../../search/server-text.ts";
import { ToolIndex } from "../../search/tool-index.ts";
import type { Hit, ToolDefinition } from "../../search/types.ts";
import type { WordTable } from "../../search/vectors/word-table.ts";
import type { Catalogue, ListedTool } from "../../servers/tools/catalogue.ts";
import type { ServerSettings } from "../../config/types.ts";
import type { Server } from "../../servers/server.ts";
import { Slices } from "../../servers/slices.ts";
import { atMost } from "../../servers/deadline.ts";
import type { Catalogues } from "../catalogue/catalogues.ts";
import { withOrigin } from "../meta-tools/open-toolbox.ts";
import type { Logger } from "../../log.ts";
import { type Scope, enabledServersIn } from "../scopes.ts";
import { wordTable } from "./word-table-file.ts";

/** Indexing this much again takes about 50 ms, which searches should not wait for. */
const LARGE_CHARS = 256 * 1024;
/**
 * How long searches wait for a large server that was never indexed. On an idle machine even the
 * largest is done in this time.
 */
const FIRST_INDEXING_MS = 1000;
/** A server that keeps changing is indexed again only after this multiple of the time it took. */
const REST_PER_COST = 20;

/** A large server that is being indexed, and how long searches wait for it. */
interface Indexing {
  readonly done: Promise<void>;
  readonly waitUntil: number;
}

interface Indexed {
  readonly toolbox: string;
  readonly catalogue: Catalogue;
  /** What the server says about itself. */
  readonly about: string;
  /** Until then the entry is kept, whatever the server lists. */
  readonly staleUntil: number;
}

/** What the index contained after a complete update. */
interface Snapshot {
  readonly version: number;
  readonly servers: readonly Server[];
  readonly settings: readonly ServerSettings[];
}

/** What is indexed: the toolboxes there are, and what is known of their servers. */
export interface IndexSource {
  readonly toolboxes: Scope;
  readonly catalogues: Pick<Catalogues, "known" | "loadAll" | "version">;
  readonly host: { readonly log: Logger };
}

/** The index of all tools that are known of, kept in step with what is known. */
export class SearchIndex {
  /** Without word vectors until the first update. */
  #tools = new ToolIndex();
  #words: Promise<void> | undefined;
  readonly #source: IndexSource;
  readonly #newSlices: () => Slices;
  readonly #readTable: () => Promise<WordTable>;
  readonly #indexed = new Map<Server, Indexed>();
  /** The definitions by the values that were indexed. */
  readonly #definitions = new WeakMap<object, ListedTool>();
  #updating: Promise<void> = Promise.resolve();
  /** Undefined while something has still to be indexed. */
  #complete: Snapshot | undefined;
  /** Large servers that are being indexed; until then searches find their old entries. */
  readonly #indexing = new Map<Server, Indexing>();

  constructor(
    source: IndexSource,
    newSlices: () => Slices = () => new Slices(),
    readTable: () => Promise<WordTable> = wordTable,
  ) {
    this.#source = source;
    this.#newSlices = newSlices;
    this.#readTable = readTable;
  }

  get tools(): ToolIndex {
    return this.#tools;
  }

  /**
   * Adds what is new, one update at a time. Resolves when all servers can be found; large ones may
   * still have their old entries, or none (see `isPending`).
   */
  update(): Promise<void> {
    this.#updating = this.#updating.then(() => this.#update());
    return this.#updating;
  }

  /** The servers that are known but cannot be found yet. */
  pending(servers: readonly Server[]): Server[] {
    if (this.#indexing.size === 0) return [];
    return servers.filter((server) => this.#indexing.has(server) && !this.#indexed.has(server));
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
    await (this.#words ??= this.#useWords());
    const { catalogues } = this.#source;
    const toolboxes = [...this.#source.toolboxes.values()];
    this.tools.setToolboxes(toolboxes.map(({ settings }) => settings));
    const enabled = enabledServersIn(this.#source.toolboxes);
    // Most searches find nothing new; asking for each of a thousand servers would take milliseconds.
    if (this.#isComplete(enabled)) return;
    const servers = new Set(enabled);
    await catalogues.loadAll(servers);
    const settings = enabled.map((server) => server.settings);
    this.#complete = { version: catalogues.version, servers: enabled, settings };
    for (const [server, { toolbox }] of this.#indexed)
      if (!servers.has(server)) {
        this.tools.removeServer(toolbox, server.name);
        this.#indexed.delete(server);
      }
    for (const server of servers) {
      const taken = this.#take(server);
      if (taken !== undefined) await taken;
    }
    for (const [server, { done, waitUntil }] of this.#indexing) {
      const left = waitUntil - performance.now();
      if (left > 0 && servers.has(server)) await atMost(left, done);
    }
  }

  #isComplete(servers: readonly Server[]): boolean {
    const before = this.#complete;
    return (
      before !== undefined &&
      before.version === this.#source.catalogues.version &&
      before.servers.length === servers.length &&
      servers.every(
        (server, i) => server === before.servers[i] && server.settings === before.settings[i],
      )
    );
  }

  /** Without the table, which only a damaged installation lacks, tools are found by their words. */
  async #useWords(): Promise<void> {
    try {
      this.#tools = new ToolIndex(await this.#readTable());
    } catch (error) {
      this.#source.host.log.warn(`tools are searched without word vectors: ${reasonOf(error)}`);
    }
  }

  /** Indexes a server if it has changed; a large one in the background. */
  #take(server: Server): Promise<void> | undefined {
    const known = this.#source.catalogues.known(server);
    if (this.#indexing.has(server)) this.#complete = undefined;
    if (known === undefined || this.#indexing.has(server)) return undefined;
    const { catalogue } = known;
    const about = aboutServer(server.name, known);
    const before = this.#indexed.get(server);
    if (before?.catalogue === catalogue && before.about === about) return undefined;
    if (catalogue.fingerprint.length <= LARGE_CHARS)
      return this.#indexNow(server, catalogue, about);
    this.#complete = undefined;
    const now = performance.now();
    if (before !== undefined && now < before.staleUntil) return undefined;
    const done = this.#indexNow(server, catalogue, about).finally(() =>
      this.#indexing.delete(server),
    );
    const waitUntil = before === undefined ? now + FIRST_INDEXING_MS : now;
    this.#indexing.set(server, { done, waitUntil });
    return undefined;
  }

  async #indexNow(server: Server, catalogue: Catalogue, about: string): Promise<void> {
    const slices = this.#newSlices();
    // Lets the caller continue before the first slice.
    await slices.rest();
    try {
      await this.#index(server, catalogue, about, slices);
    } catch (error) {
      this.#source.host.log.error(`not indexed: ${reasonOf(error)}`, server.place);
    }
    const { toolbox } = server.settings;
    const staleUntil = performance.now() + REST_PER_COST * slices.spentMs;
    this.#indexed.set(server, { toolbox, catalogue, about, staleUntil });
  }

  async #index(
    { settings }: Server,
    catalogue: Catalogue,
    about: string,
    slices: Slices,
  ): Promise<void> {
    const values = Array.from(catalogue.tools.values(), (tool) => {
      this.#definitions.set(tool.value, tool);
      return tool.value as ToolDefinition;
    });
    for (const _ of this.tools.replacing(settings.toolbox, settings.name, values, about))
      if (slices.due) await slices.rest();
  }
}
