import type { WorkbenchSettings } from "../../config/types.ts";
import type { Server } from "../../servers/server.ts";
import type { CachedServer } from "../../servers/server-memory.ts";
import type { ToolboxView } from "../../toolboxes/toolbox.ts";
import { workbenchInstructions } from "../meta-tools/instructions.ts";
import { openable } from "../meta-tools/toolbox-lines.ts";
import { fullText } from "../meta-tools/open-toolbox.ts";
import { shownServers } from "../token-costs.ts";
import { tokensIn } from "./text-tokens.ts";
import type { DefinitionCosts } from "./token-counter.ts";

/** The workbench whose calls are counted. */
export interface CountedWorkbench {
  readonly settings: WorkbenchSettings;
  readonly toolboxes: ReadonlyMap<string, ToolboxView>;
  readonly catalogues: {
    known(server: Server): CachedServer | undefined;
    /** What is known of a server that has not run yet. */
    load(server: Server): Promise<CachedServer | undefined>;
  };
}

interface Measured {
  /** What was measured; a change is noticed by its identity. */
  readonly of: readonly unknown[];
  readonly direct: number;
  readonly opened: number;
}

/** Reads what is stored about the servers, without starting one. */
export async function readDefinitions({ toolboxes, catalogues }: CountedWorkbench): Promise<void> {
  for (const toolbox of toolboxes.values())
    for (const server of toolbox.servers.values())
      if (!server.settings.disabled) await catalogues.load(server).catch(() => undefined);
}

/** The costs of what is known about the servers of a workbench. */
export function definitionCosts(workbench: CountedWorkbench): DefinitionCosts {
  const measured = new Map<string, Measured>();
  const measure = (name: string): Measured => {
    const toolbox = workbench.toolboxes.get(name);
    const known = new Map<string, CachedServer | undefined>();
    for (const server of toolbox?.servers.values() ?? [])
      if (!server.settings.disabled) known.set(server.name, workbench.catalogues.known(server));
    const of = Array.from(known.values(), (server) => server?.catalogue);
    const before = measured.get(name);
    if (before?.of.length === of.length && of.every((one, i) => one === before.of[i]))
      return before;
    const isKnown = toolbox !== undefined && of.some((one) => one !== undefined);
    const opened = isKnown ? fullText(toolbox, shownServers(known)) : "";
    // Of long texts, only samples are counted: counting them all would delay the calls that follow.
    const costs = { of, direct: tokensIn(directText(known.values())), opened: tokensIn(opened) };
    measured.set(name, costs);
    return costs;
  };
  return {
    direct: (toolbox) => measure(toolbox).direct,
    opened: (toolbox) => measure(toolbox).opened,
    instructions: (names) => {
      const boxes = names.flatMap((name) => workbench.toolboxes.get(name)?.settings ?? []);
      return tokensIn(workbenchInstructions(workbench.settings.toolMode, openable(boxes)));
    },
  };
}

/** What a client that is connected to the servers directly gets: tool lists and instructions. */
function directText(servers: Iterable<CachedServer | undefined>): string {
  let text = "";
  for (const server of servers)
    if (server !== undefined)
      text += `{"tools":[${server.tools.map((tool) => tool.text).join(",")}]}${server.instructions ?? ""}`;
  return text;
}
