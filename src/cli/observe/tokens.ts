import type { ToolboxSettings } from "../../config/types.ts";
import { EXIT } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import type { CachedServer } from "../../servers/server-memory.ts";
import {
  type KnownServer,
  type OpenCosts,
  type TokenCosts,
  tokenCosts,
} from "../../workbench/token-costs.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../core/command.ts";
import { Progress } from "../output/progress.ts";
import { cachingProgress } from "../use/caching-progress.ts";
import { seenScope, seenTools } from "../use/seen-tools.ts";
import { configuration } from "../use/target.ts";
import { withWorkbench } from "../use/with-workbench.ts";
import { count, numberTable } from "./number-table.ts";
import { printUsedTokens } from "./tokens-used.ts";

/** How tokens are counted, for comparing the numbers with those of other tools. */
const COUNTING =
  "Estimated for the o200k vocabulary: within 12 % for 95 of 100 tool definitions, within 3 % in total. Other models count differently, so compare the columns with each other.";

/** `tokens`: the token cost of the tools with and without the workbench. */
export async function tokens(context: Context): Promise<number> {
  const { out } = context;
  if (context.args.flag("used")) return printUsedTokens(context);
  const settings = await configuration(context);
  return withWorkbench(context, settings, async ({ workbench }) => {
    const step = new Progress(out).start(cachingProgress(workbench));
    const costs = await measure(workbench).finally(step.end);
    out.document({ ...costs, counting: COUNTING });
    out.print(tokensTable(costs, out.tableWidth));
    return EXIT.ok;
  });
}

/** Measures the token cost of all tools; connects to servers that are not cached yet. */
async function measure(workbench: Workbench): Promise<TokenCosts> {
  const { settings, catalogues } = workbench;
  const scope = seenScope(workbench);
  const discovery = await workbench.discovery();
  if (settings.discovery !== "off") await discovery.probeUnknown(scope);
  const known = new Map<ToolboxSettings, Map<string, KnownServer | undefined>>();
  for (const toolbox of scope.values()) {
    const servers = new Map<string, KnownServer | undefined>();
    for (const server of toolbox.servers.values())
      if (!server.settings.disabled)
        servers.set(server.name, shown(workbench, server, await catalogues.load(server)));
    known.set(toolbox.settings, servers);
  }
  return tokenCosts(settings, known);
}

/** What is known of a server, with the tools that the policy shows. */
function shown(
  workbench: Workbench,
  server: Server,
  known: CachedServer | undefined,
): KnownServer | undefined {
  return known && { ...known, catalogue: seenTools(workbench, server, known.catalogue) };
}

const HEADER = ["", "tools", "at start", "open: full", "signatures", "names", "search", "direct"];

function tokensTable(costs: TokenCosts, width: number): string {
  const rows: string[][] = [];
  for (const toolbox of costs.toolboxes) {
    const { name, tools, start, open, search, direct } = toolbox;
    rows.push([
      name,
      count(tools),
      count(start),
      ...openCells(open),
      count(search?.median),
      count(direct),
    ]);
    for (const server of toolbox.servers)
      rows.push([
        `  ${server.name}`,
        count(server.tools),
        "",
        ...openCells(server.open),
        "",
        count(server.direct),
      ]);
  }
  rows.push([
    "total",
    "",
    count(costs.start),
    "",
    "",
    "",
    count(costs.search?.median),
    count(costs.direct),
  ]);
  const unknown = costs.toolboxes.flatMap(({ name, servers }) =>
    servers.filter(({ tools }) => tools === null).map((server) => `${name}/${server.name}`),
  );
  return [
    numberTable(HEADER, rows, width),
    "",
    `Every conversation starts with ${count(costs.start)} tokens, or ${count(costs.direct)} if the servers are connected directly.`,
    "search: median of results with five tools. direct: tool lists and instructions as the servers send them.",
    ...(unknown.length > 0
      ? [`Not counted, because the connection failed: ${unknown.join(", ")}.`]
      : []),
    COUNTING,
  ].join("\n");
}

function openCells(open: OpenCosts | null): string[] {
  return [count(open?.full), count(open?.signatures), count(open?.names)];
}
