import type { ServerSettings } from "../../config/types.ts";
import type { Logger } from "../../log.ts";
import type { Connection } from "../connection/connection.ts";
import { type ListLimit, listAll } from "../requests/list-all.ts";
import { type ListedItem, MAX_ITEM_CHARS, MAX_LIST_CHARS } from "../requests/list-reader.ts";
import type { Slices } from "../slices.ts";
import { shortList } from "../../text/short-list.ts";

/** How many tools a warning names, and how much of each name. */
const MAX_NAMED = 10;
const MAX_NAME_CHARS = 80;

/** The tools of a connection, as its server lists them. */
export async function listTools(
  connection: Connection,
  { limits }: ServerSettings,
  log: Logger,
  slices: Slices,
): Promise<ListedItem[]> {
  const hasTools = connection.hello.capabilities["tools"] !== undefined;
  const warn = (message: string): void => log.warn(message, connection.place);
  const { pages, tools: items } = limits;
  const exceeded = (limit: ListLimit): void => {
    const most = {
      pages: `${pages} pages; what follows is left out (limits.pages)`,
      items: `${items} tools; what follows is left out (limits.tools)`,
      bytes: `${MAX_LIST_CHARS} characters; what follows is left out`,
    };
    warn(`it lists more than ${most[limit]}`);
  };
  const leftOut = (count: number): void =>
    warn(
      `tools left out: ${count}, each over ${MAX_ITEM_CHARS} characters, too deep, or with a key that could be mistaken for another`,
    );
  const listing = { pages, items, exceeded, leftOut };
  const listed = hasTools ? await listAll(connection, "tools/list", "tools", listing, slices) : [];
  const problems: string[] = [];
  const usable = listed.filter(({ value }) => {
    const problem = connection.channel.reasonUnusable(value);
    if (problem !== undefined) problems.push(`${shortName(value["name"])} (${problem})`);
    return problem === undefined;
  });
  if (problems.length > 0) warn(`tools left out: ${shortList(problems, MAX_NAMED)}`);
  const twice = duplicatesIn(usable.map(({ value }) => value["name"] as string));
  if (twice.length > 0)
    warn(
      `tools listed more than once, of which the first is used: ${shortList(twice.map(shortName), MAX_NAMED)}`,
    );
  return usable;
}

function shortName(name: unknown): string {
  return String(name).slice(0, MAX_NAME_CHARS);
}

function duplicatesIn(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice];
}
