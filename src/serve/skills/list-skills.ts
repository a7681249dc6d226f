import type { ListedItem } from "../../servers/requests/list-reader.ts";
import type { Server } from "../../servers/server.ts";
import type { Gathered } from "../../workbench/gather.ts";
import { enabledServersIn } from "../../workbench/scopes.ts";
import type { ServerLists } from "../../workbench/server-lists.ts";
import type { ServedClient } from "../served-client.ts";
import { isPinned } from "../surface/seen-tools.ts";
import { listResult } from "../surface/list-result.ts";
import { resourceUri } from "../surface/resource-uris.ts";
import { rewrittenItems } from "../surface/rewritten-items.ts";
import type { CatalogueRoute, ShownCatalogue } from "../surface/surface.ts";
import { ownEntries } from "./own-skill-answers.ts";
import { entryWith } from "./skill-entries.ts";

/** `skills/list`: those of the servers first, because the others are always the same. */
export const listSkills: CatalogueRoute = (client, _request, lists, shown) => ({
  answer: async () => {
    const { found, missing } = await listLearned(client, lists, shown);
    const texts = await rewrittenItems(found, (server, { text }) =>
      entryWith(text, (uri) => resourceUri(server, uri)),
    );
    const own = ownEntries(client, shown).map((entry) => JSON.stringify(entry));
    return listResult("skills", [...texts, ...own], missing);
  },
});

const UNKNOWN_LIST = "its skills are not known yet";

/** The skills of all servers, also of those that never ran. */
async function listLearned(
  client: ServedClient,
  lists: ServerLists,
  shown: ShownCatalogue,
): Promise<Gathered<readonly ListedItem[]>> {
  const unknown = client.era === "legacy" ? await learnSkills(client, shown) : [];
  const { found, missing } = await lists.list(client, "skills");
  const unlisted = unknown.map((server) => ({ server, reason: UNKNOWN_LIST }));
  return { found, missing: [...missing, ...unlisted] };
}

/**
 * Clients list skills once, and no notification says that there are more: servers of which nothing is
 * known are found as by a search. Lists for a modern client connect them anyway.
 */
function learnSkills(client: ServedClient, shown: ShownCatalogue): Promise<readonly Server[]> {
  const { pipeline, principal } = client;
  const isMissing = (server: Server): boolean =>
    client.connectionTo(server) === undefined &&
    !isPinned(server) &&
    pipeline.visibility?.deniesOthers(principal, server.place) !== true;
  return shown.learn(enabledServersIn(client.scope).filter(isMissing), "skills");
}
