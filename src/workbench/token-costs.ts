import { STDIO_PRINCIPAL } from "../calls/principal.ts";
import type { ToolboxSettings, WorkbenchSettings } from "../config/types.ts";
import { aboutServer } from "../search/server-text.ts";
import { ToolIndex } from "../search/tool-index.ts";
import type { ToolDefinition } from "../search/types.ts";
import type { SeenTools } from "../calls/visibility.ts";
import type { CachedServer } from "../servers/server-memory.ts";
import type { ListedTool } from "../servers/tools/catalogue.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";
import { openable } from "./meta-tools/toolbox-lines.ts";
import { workbenchInstructions } from "./meta-tools/instructions.ts";
import { dynamicTools, offersScripts, proxyTools } from "./meta-tools/definitions.ts";
import {
  type ShownServers,
  fullText,
  namesText,
  signaturesText,
} from "./meta-tools/open-toolbox.ts";
import { type SearchCosts, searchCosts } from "./search-costs.ts";
import { toolLine } from "./meta-tools/tool-lines.ts";

/** What the tools cost an agent in tokens, through the workbench and without it. */

export interface OpenCosts {
  readonly full: number;
  readonly signatures: number;
  readonly names: number;
}

export interface ServerCosts {
  readonly name: string;
  /** What clients see of it; null if it was never connected. */
  readonly tools: number | null;
  readonly open: OpenCosts | null;
  /** Its tool list and instructions as a directly connected client gets them. */
  readonly direct: number | null;
}

export interface ToolboxCosts {
  readonly name: string;
  /** Its share of the start of every conversation. */
  readonly start: number;
  readonly tools: number;
  readonly open: OpenCosts;
  readonly search: SearchCosts | null;
  readonly direct: number;
  readonly servers: readonly ServerCosts[];
}

export interface TokenCosts {
  /** The tool list and the instructions at the start of every conversation. */
  readonly start: number;
  /** The same with a direct connection to every server. */
  readonly direct: number;
  readonly search: SearchCosts | null;
  readonly toolboxes: readonly ToolboxCosts[];
}

/** A server with the tools that are counted. */
export interface KnownServer extends Pick<CachedServer, "tools" | "serverInfo" | "instructions"> {
  readonly catalogue: SeenTools<ListedTool>;
}

/** The known servers of each toolbox; undefined for a server that was never connected. */
export type KnownToolboxes = ReadonlyMap<
  ToolboxSettings,
  ReadonlyMap<string, KnownServer | undefined>
>;

export function tokenCosts(settings: WorkbenchSettings, known: KnownToolboxes): TokenCosts {
  const boxes = [...known.keys()];
  const start = startTokens(settings, boxes);
  const index = indexOf(known);
  const toolboxes = Array.from(known, ([box, servers]): ToolboxCosts => {
    const costs = Array.from(servers, ([name, server]) => serverCosts(box, name, server));
    return {
      name: box.name,
      start:
        start -
        startTokens(
          settings,
          boxes.filter((other) => other !== box),
        ),
      tools: sum(costs.map(({ tools }) => tools ?? 0)),
      open: openCosts(box, shownServers(servers)),
      search: searchCosts(index, boxes, definitionsOf(servers), box.name),
      direct: sum(costs.map(({ direct }) => direct ?? 0)),
      servers: costs,
    };
  });
  const all = Array.from(known.values()).flatMap(definitionsOf);
  return {
    start,
    direct: sum(toolboxes.map(({ direct }) => direct)),
    search: searchCosts(index, boxes, all),
    toolboxes,
  };
}

function startTokens(settings: WorkbenchSettings, boxes: readonly ToolboxSettings[]): number {
  const { toolMode, readTool, scripts } = settings;
  // Costs are those of a client on standard input and output.
  const hasScripts = offersScripts(scripts, STDIO_PRINCIPAL);
  const tools =
    toolMode === "dynamic"
      ? dynamicTools(boxes, hasScripts)
      : proxyTools(boxes, readTool, hasScripts);
  return (
    estimateTokens(JSON.stringify(tools)) +
    estimateTokens(workbenchInstructions(toolMode, openable(boxes)))
  );
}

function serverCosts(
  box: ToolboxSettings,
  name: string,
  server: KnownServer | undefined,
): ServerCosts {
  if (server === undefined) return { name, tools: null, open: null, direct: null };
  const list = `{"tools":[${server.tools.map(({ text }) => text).join(",")}]}`;
  return {
    name,
    tools: server.catalogue.tools.size,
    open: openCosts(box, shownServers(new Map([[name, server]]))),
    direct: estimateTokens(list) + estimateTokens(server.instructions ?? ""),
  };
}

function openCosts(settings: ToolboxSettings, servers: ShownServers): OpenCosts {
  const box = { name: settings.name, settings };
  return {
    full: estimateTokens(fullText(box, servers)),
    signatures: estimateTokens(signaturesText(box, servers, toolLine)),
    names: estimateTokens(namesText(box, servers)),
  };
}

function indexOf(known: KnownToolboxes): ToolIndex {
  const index = new ToolIndex();
  index.setToolboxes([...known.keys()]);
  for (const [{ name }, servers] of known)
    for (const [server, remembered] of servers)
      if (remembered !== undefined)
        index.replaceServer(name, server, definitions(remembered), aboutServer(server, remembered));
  return index;
}

function definitionsOf(servers: ReadonlyMap<string, KnownServer | undefined>): ToolDefinition[] {
  return Array.from(servers.values()).flatMap((server) => (server ? definitions(server) : []));
}

function definitions({ catalogue }: KnownServer): ToolDefinition[] {
  return Array.from(catalogue.tools.values(), ({ value }) => value as ToolDefinition);
}

/** Known servers, as answers show them. */
export function shownServers(servers: ReadonlyMap<string, KnownServer | undefined>): ShownServers {
  const connected = Array.from(servers).flatMap(([name, server]) =>
    server === undefined
      ? []
      : [
          {
            server: { name },
            connection: {
              catalogue: server.catalogue,
              hello: { instructions: server.instructions },
            },
          },
        ],
  );
  return { connected, failed: [] };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
