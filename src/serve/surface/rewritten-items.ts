import type { ListedItem } from "../../servers/requests/list-reader.ts";
import type { Server } from "../../servers/server.ts";
import { Slices } from "../../servers/slices.ts";
import type { Gathered } from "../../workbench/gather.ts";

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
