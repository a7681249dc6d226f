import { hardToFind } from "../../search/hard-to-find.ts";
import { shortList } from "../../text/short-list.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { ToolDefinition } from "../../search/types.ts";
import { SearchIndex } from "../../workbench/discovery/search-index.ts";
import { plural } from "../output/layout.ts";
import { type Connected, labelOf } from "../use/connect.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Findings } from "./check.ts";

/** Each costs a search of up to some milliseconds. */
const MAX_TOOLS = 2_000;
const MAX_NAMED = 3;

/** Reports tools that a search for their own purpose does not find, with words that would help. */
export async function checkFindable(
  { toolboxes, catalogues, host }: Workbench,
  connected: readonly Connected[],
  findings: Findings,
): Promise<void> {
  const index = new SearchIndex({ toolboxes, catalogues, host });
  await index.update();
  const servers = connected.map(({ server, connection }) => ({
    toolbox: server.settings.toolbox,
    server: server.name,
    tools: Array.from(connection.catalogue.tools.values(), ({ value }) => value as ToolDefinition),
  }));
  const missing = hardToFind(index.tools, servers, MAX_TOOLS);
  for (const { server } of connected) {
    const own = missing.filter(
      (tool) => tool.server === server.name && tool.toolbox === server.settings.toolbox,
    );
    if (own.length === 0) continue;
    const names = shortList(
      own.map(({ name }) => safeLine(name)),
      MAX_NAMED,
    );
    const keywords = [...new Set(own.flatMap((tool) => tool.keywords))].slice(0, MAX_NAMED);
    findings.add({
      area: "servers",
      subject: labelOf(server),
      status: "warning",
      message: `${plural(own.length, "tool")} that a search never finds: ${names}`,
      fix: adviceFor(keywords),
    });
  }
}

function adviceFor(keywords: readonly string[]): string {
  const words = keywords.map((word) => JSON.stringify(safeLine(word))).join(", ");
  return `Describe with "overrides" what distinguishes them${words === "" ? "" : `, using words such as ${words}`}`;
}
