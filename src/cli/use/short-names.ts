import type { ToolIdentifier } from "../../calls/identifier.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { nearest } from "../../text/nearest.ts";
import { enabledServersIn } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Progress } from "../output/progress.ts";
import { seenScope, seenTools } from "./seen-tools.ts";
import { cachingProgress } from "./caching-progress.ts";
import { shortList } from "../../text/short-list.ts";

/** A server and the names of its tools, as far as they are known. */
export interface NamedTools {
  readonly toolbox: string;
  readonly server: string;
  readonly tools: readonly string[];
}

/** The tools that a short name can mean: `tool`, `server/tool`, `toolbox/tool` or all three. */
export function toolsNamed(name: string, servers: readonly NamedTools[]): ToolIdentifier[] {
  return servers.flatMap(({ toolbox, server, tools }) =>
    tools
      .filter((tool) =>
        [tool, `${server}/${tool}`, `${toolbox}/${tool}`, `${toolbox}/${server}/${tool}`].includes(
          name,
        ),
      )
      .map((tool) => ({ toolbox, server, name: tool })),
  );
}

/** The only tool with a short name; the error lists the candidates, or what was probably meant. */
export function onlyTool(name: string, servers: readonly NamedTools[]): ToolIdentifier {
  const [found, ...others] = toolsNamed(name, servers);
  if (found === undefined) throw noSuchTool(name, servers);
  if (others.length === 0) return found;
  throw severalOf("tools", name, [found, ...others].map(identifierText));
}

/** The tool with a short name. All servers count, so those that are not cached are connected. */
export async function findTool(
  name: string,
  workbench: Workbench,
  progress: Progress,
): Promise<ToolIdentifier> {
  const step = progress.start(cachingProgress(workbench));
  try {
    await (await workbench.discovery()).probeUnknown(seenScope(workbench));
    return onlyTool(name, await knownTools(workbench));
  } finally {
    step.end();
  }
}

/** A name that means several things, with all of them. */
export function severalOf(what: string, name: string, all: readonly string[]): WorkbenchError {
  const reason = `There are ${all.length} ${what} called '${name}'`;
  const hint = `Write one of these: ${shortList(all, MAX_CANDIDATES)}`;
  return workbenchError("USAGE", { reason }, hint);
}

const MAX_CANDIDATES = 20;

/** The tools that the workbench knows without connecting to a server. */
export async function knownTools(workbench: Workbench): Promise<readonly NamedTools[]> {
  const servers = enabledServersIn(seenScope(workbench));
  return Promise.all(
    servers.map(async (server) => {
      const known = await workbench.catalogues.load(server);
      const seen = known && seenTools(workbench, server, known.catalogue);
      return { ...server.place, tools: [...(seen?.tools.keys() ?? [])] };
    }),
  );
}

/** The servers with this name, in any of the toolboxes. */
export function serversNamed(
  name: string,
  toolboxes: ReadonlyMap<string, NamedToolbox>,
): NamedServer[] {
  return [...toolboxes.values()]
    .filter(({ servers }) => servers.has(name))
    .map((box) => ({
      path: { toolbox: box.name, server: name },
      label: `${box.name}/${name}`,
    }));
}

interface NamedToolbox {
  readonly name: string;
  readonly servers: ReadonlyMap<string, unknown>;
}

interface NamedServer {
  readonly path: { readonly toolbox: string; readonly server: string };
  readonly label: string;
}

export function identifierText({ toolbox, server, name }: ToolIdentifier): string {
  return `${toolbox}/${server}/${name}`;
}

function noSuchTool(name: string, servers: readonly NamedTools[]): WorkbenchError {
  const tools = servers.flatMap(({ toolbox, server, tools }) =>
    tools.map((tool) => ({ toolbox, server, name: tool })),
  );
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  const meant = tools.find((tool) => tool.name === near);
  const hint =
    meant === undefined
      ? "Find one with: mcp-workbench search WORDS. Its full name is toolbox/server/tool"
      : `Did you mean '${identifierText(meant)}'?`;
  return workbenchError("USAGE", { reason: `No server has a tool called '${name}'` }, hint);
}
