import type { ServerSettings } from "../../config/types.ts";
import type { Logger } from "../../log.ts";
import { type ListedItem, askAll } from "../ask.ts";
import type { Connection } from "../connection.ts";

/** The tools of a connection, as its server lists them. */
export async function listTools(
  connection: Connection,
  { limits }: ServerSettings,
  log: Logger,
): Promise<ListedItem[]> {
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
  return usable;
}

function duplicatesIn(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice];
}
