import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { OpenResult } from "../../toolboxes/open.ts";
import type { ToolboxView } from "../../toolboxes/toolbox.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { type NativeTool, nativeToolsOf } from "./native-definitions.ts";
import type { SeeTools } from "./seen-tools.ts";

/** Where the tools of a server come from: a connection, or what is remembered of one. */
interface Source {
  readonly catalogue: SeenTools<ListedTool>;
}

/** The native tools of a server. */
interface Listing {
  readonly source: Source;
  readonly tools: ReadonlyMap<string, NativeTool>;
}

const NO_TOOLS: Listing = { source: { catalogue: { tools: new Map() } }, tools: new Map() };

type ServerTools = Map<Server, Listing>;

/** A session that may be unable to see some tools. */
export interface ToolViewer {
  readonly seen: SeeTools;
  /** Whether its client supports pages. */
  readonly showsPages: boolean;
}

/** The toolboxes that a session has opened, with the native tools of their servers. */
export class OpenedToolboxes {
  readonly #viewer: ToolViewer;
  /** By the names of the toolboxes: a policy may replace a toolbox by a part of it, and the other way round. */
  readonly #opened = new Map<string, ServerTools>();

  constructor(viewer: ToolViewer) {
    this.#viewer = viewer;
  }

  /** Adds the tools of the connected servers; returns how many the toolbox now has. */
  async open(name: string, { connected, known, starting }: OpenResult): Promise<number> {
    const servers: ServerTools = this.#opened.get(name) ?? new Map();
    // Registered first, so that changes that arrive in the meantime are not missed.
    this.#opened.set(name, servers);
    for (const { server } of [...connected, ...known, ...starting])
      if (!servers.has(server)) servers.set(server, NO_TOOLS);
    for (const { server, connection } of [...known, ...connected])
      servers.set(server, await this.#listingOf(server, connection));
    return count(servers);
  }

  has(name: string): boolean {
    return this.#opened.has(name);
  }

  /** Returns how many tools the toolbox had. */
  close(name: string): number {
    const servers = this.#opened.get(name);
    this.#opened.delete(name);
    return servers === undefined ? 0 : count(servers);
  }

  /** Takes the tools of a connection; false if they have changed again since. */
  async relist(server: Server, connection: Connection): Promise<boolean> {
    const { catalogue } = connection;
    const listing = await this.#listingOf(server, connection);
    if (connection.catalogue !== catalogue) return false;
    for (const servers of this.#opened.values())
      if (servers.has(server)) servers.set(server, listing);
    return true;
  }

  /**
   * Keeps opened toolboxes open, with the servers they have after a reload. Returns those that need
   * more time.
   */
  async reopen(
    current: ReadonlyMap<string, ToolboxView>,
    connect: (server: Server) => Promise<Connection>,
  ): Promise<OpenResult["starting"]> {
    const late: OpenResult["starting"][number][] = [];
    for (const name of Array.from(this.#opened.keys())) {
      const toolbox = current.get(name);
      if (toolbox === undefined) {
        this.#opened.delete(name);
        continue;
      }
      // The registered tools stay until their replacement is known. Otherwise a list that is
      // published in the meantime would be without them.
      const { connected, starting } = await toolbox.open(connect);
      late.push(...starting);
      const before = this.#opened.get(name);
      if (before === undefined) continue;
      const servers: ServerTools = new Map();
      for (const server of toolbox.servers.values()) {
        // One that cannot be reached now keeps its tools; a disabled one has none.
        if (server.settings.disabled) continue;
        const connection = connected.find((entry) => entry.server === server)?.connection;
        const isLate = starting.some((entry) => entry.server === server);
        const kept = before.get(server) ?? (isLate ? NO_TOOLS : undefined);
        const listing = connection ? await this.#listingOf(server, connection) : kept;
        if (listing !== undefined) servers.set(server, listing);
      }
      this.#opened.set(name, servers);
    }
    return late;
  }

  /** The tools of all opened toolboxes, by name. */
  tools(): Map<string, NativeTool> {
    const all = new Map<string, NativeTool>();
    for (const servers of this.#opened.values())
      for (const { tools } of servers.values())
        for (const [name, tool] of tools) all.set(name, tool);
    return all;
  }

  /**
   * Whether the client may see a tool at present. What a change of the configuration hides is hidden at
   * once, and not only when the servers that the change added are connected.
   */
  isVisible({ server, id }: NativeTool): boolean {
    const listing = this.#opened.get(id.toolbox)?.get(server);
    if (listing === undefined) return false;
    return this.#viewer.seen(server, listing.source.catalogue).tools.has(id.name);
  }

  async #listingOf(server: Server, source: Source): Promise<Listing> {
    const seen = this.#viewer.seen(server, source.catalogue);
    return { source, tools: await nativeToolsOf(server, seen, this.#viewer.showsPages) };
  }
}

function count(servers: ServerTools): number {
  let total = 0;
  for (const { tools } of servers.values()) total += tools.size;
  return total;
}
