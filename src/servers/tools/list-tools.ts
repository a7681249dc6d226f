import type { ServerSettings } from "../../config/types.ts";
import type { Logger } from "../../log.ts";
import { askAll } from "../ask.ts";
import { Catalogue } from "./catalogue.ts";
import type { Connection } from "../connection.ts";
import { toolFilter } from "./tool-filter.ts";

/** The tools of a connection, as the settings of its server show them. */
export async function listTools(
  connection: Connection,
  { toolFilters, overrides, limits }: ServerSettings,
  log: Logger,
): Promise<Catalogue> {
  const hasTools = connection.greeting.capabilities["tools"] !== undefined;
  const { pages, tools: items } = limits;
  const exceeded = (limit: "pages" | "items"): void => {
    const [most, key] = limit === "pages" ? [pages, "pages"] : [items, "tools"];
    log.warn(
      `it lists more than ${most} ${key}; what follows is left out (limits.${key})`,
      connection.place,
    );
  };
  const listing = { pages, items, exceeded };
  const listed = hasTools ? await askAll(connection, "tools/list", "tools", listing) : [];
  const usable = listed.filter(({ value }) => {
    const problem = connection.unusable(value);
    if (problem === undefined) return true;
    log.warn(`tool left out: ${problem}`, { ...connection.place, tool: String(value["name"]) });
    return false;
  });
  const twice = duplicatesIn(usable.map(({ value }) => String(value["name"])));
  if (twice.length > 0)
    log.warn(
      `tools listed more than once, of which the first is used: ${twice.join(", ")}`,
      connection.place,
    );
  return new Catalogue(usable, toolFilter(toolFilters), overrides);
}

function duplicatesIn(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice];
}
