import type { ListedItem } from "../../servers/requests/list-reader.ts";
import type { Server } from "../../servers/server.ts";
import { Slices } from "../../servers/slices.ts";
import { UI_SCHEME } from "../../protocol/ui-extension.ts";
import { hasUiSupport } from "../apps/ui-client.ts";
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
  return (client, _request, lists, { listScope }) => ({
    answer: async () => {
      const { found, missing } = await lists.list(client, list, listScope);
      const isShown = list === "prompts" || hasUiSupport(client) ? undefined : isNoPage(key);
      const shown = isShown
        ? found.map((one) => ({ ...one, value: one.value.filter(isShown) }))
        : found;
      const texts = await rewrittenItems(shown, (server, { text, value }) =>
        withMembers(text, { [key]: JSON.stringify(rewrite(server, String(value[key]))) }),
      );
      return listResult(list, texts, missing);
    },
  });
}

/** Clients that do not support pages do not see them. */
function isNoPage(key: string): (item: ListedItem) => boolean {
  return ({ value }) => !String(value[key]).startsWith(UI_SCHEME);
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
