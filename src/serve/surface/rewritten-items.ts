import type { ListedItem } from "../../servers/requests/list-reader.ts";
import type { Server } from "../../servers/server.ts";
import { Slices } from "../../servers/slices.ts";
import { withMembers } from "../../wire/members.ts";
import type { Gathered } from "../../workbench/gather.ts";
import { listResult } from "./list-result.ts";
import type { CatalogueRoute } from "./surface.ts";

/** Lists the items of all servers; `rewrite` writes the member by which clients refer to one. */
export function listRewritten(
  list: "prompts" | "resources" | "resourceTemplates",
  key: string,
  rewrite: (server: Server, own: string) => string,
): CatalogueRoute {
  return (client, _request, lists, listScope) => ({
    answer: async () => {
      const { found, missing } = await lists.list(client, list, listScope);
      const texts = await rewrittenItems(found, (server, { text, value }) =>
        withMembers(text, { [key]: JSON.stringify(rewrite(server, String(value[key]))) }),
      );
      return listResult(list, texts, missing);
    },
  });
}

/**
 * The items of several servers, each as `rewrite` writes it. Others get a turn in between: there may
 * be thousands, and a client may list them again and again.
 */
export async function rewrittenItems(
  found: Gathered<readonly ListedItem[]>["found"],
  rewrite: (server: Server, item: ListedItem) => string,
): Promise<string[]> {
  const slices = new Slices();
  const texts: string[] = [];
  slices.begin();
  for (const { server, value } of found)
    for (const item of value) {
      texts.push(rewrite(server, item));
      if (slices.due) await slices.rest();
    }
  return texts;
}
