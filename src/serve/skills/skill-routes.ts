import { answered } from "../../calls/destination.ts";
import { refusal } from "../../calls/outcome.ts";
import { RPC } from "../../errors.ts";
import { skillSettings } from "../../protocol/skills-extension.ts";
import type { Server } from "../../servers/server.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { ServedClient } from "../served-client.ts";
import { findResource, resourceUri } from "../surface/resource-uris.ts";
import { isPinned } from "../surface/seen-tools.ts";
import type { CatalogueRoute } from "../surface/surface.ts";
import { amendDirectory, amendSkill } from "./amend-skills.ts";
import { directoryResult, ownDirectory, ownEntry } from "./own-skill-answers.ts";
import { childrenOf, filesIn } from "./skill-entries.ts";

export { listSkills } from "./list-skills.ts";

/** Skills of all servers, and those of the workbench. Loaded for the first request about them. */

const UNKNOWN = refusal(RPC.invalidParams, "Skill not found: use a URI from skills/list");
const URI_REQUIRED = refusal(RPC.invalidParams, "uri: Required (expected string)");

/** `skills/get`: the entry of one skill. */
export const getSkill: CatalogueRoute = async (client, request, lists, shown) => {
  const { uri } = request.params;
  if (typeof uri !== "string") return answered(URI_REQUIRED);
  const own = ownEntry(client, shown, uri);
  if (own !== undefined) return answered(own);
  const address = await findResource(client, uri, lists);
  if ("code" in address) return answered({ kind: "refusal", error: address });
  const { server, uri: ownUri } = address;
  // Only what the user has approved may reach a model, and a lock file does not have skills.
  const isOffered = !isPinned(server) && (await settingsOf(client, server)) !== undefined;
  if (!isOffered) return answered(UNKNOWN);
  const changes = { uri: JSON.stringify(ownUri) };
  return { server, subject: uri, changes, ...(uri !== ownUri && { amend: amendSkill(server) }) };
};

/** `resources/directory/read`: what a directory of a skill contains. */
export const readDirectory: CatalogueRoute = async (client, request, lists, shown) => {
  const { uri } = request.params;
  if (typeof uri !== "string") return answered(URI_REQUIRED);
  const own = ownDirectory(client, shown, uri);
  if (own !== undefined) return answered(own);
  const address = await findResource(client, uri, lists);
  if ("code" in address) return answered({ kind: "refusal", error: address });
  const { server, uri: ownUri } = address;
  if (isPinned(server)) return answered(UNKNOWN);
  const settings = await settingsOf(client, server);
  if (settings?.["directoryRead"] === true) {
    const changes = { uri: JSON.stringify(ownUri) };
    const amend = uri === ownUri ? undefined : amendDirectory(server);
    return { server, subject: uri, changes, amend };
  }
  return {
    answer: async () => {
      const items = await lists.listServer(client, server, "skills");
      const files = filesIn(items.map(({ value }) => value));
      const children = childrenOf(ownUri, files);
      return directoryResult(
        children.map((child) => ({ ...child, uri: resourceUri(server, String(child["uri"])) })),
      );
    },
  };
};

/** How a server declares its skills; it is asked if nothing is known about it. */
async function settingsOf(client: ServedClient, server: Server): Promise<JsonObject | undefined> {
  const known = client.connectionTo(server)?.hello ?? (await server.host.memory.load(server));
  const { capabilities } = known ?? (await client.connect(server)).hello;
  return skillSettings(capabilities);
}
