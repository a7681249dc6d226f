/** Prompts of all servers, named like native tools: `{toolbox}__{server}__{prompt}`. */
import { answered } from "../../calls/destination.ts";
import { type Outcome, refusal } from "../../calls/outcome.ts";
import { RPC } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import { formatToolName, parseToolName } from "../../toolboxes/native-names.ts";
import { shownValue } from "../../text/shown-name.ts";
import type { ServerLists } from "../../workbench/server-lists.ts";
import type { ServedClient } from "../served-client.ts";
import { requireApprovedPrompt } from "./approved-items.ts";
import { listRewritten } from "./rewritten-items.ts";
import { isPinned } from "./seen-tools.ts";
import type { CatalogueRoute } from "./surface.ts";

export const listPrompts = listRewritten("prompts", "name", promptName);

export const getPrompt: CatalogueRoute = async (client, request, lists) => {
  const { name } = request.params;
  const prompt = await findPrompt(client, name, lists);
  if (prompt === undefined) return answered(promptNotFound(name));
  const { server, name: own } = prompt;
  return { server, subject: own, changes: { name: JSON.stringify(own) } };
};

export function promptNotFound(name: unknown): Outcome {
  const message = `Prompt ${shownValue(name)} not found. Names are {toolbox}__{server}__{prompt}, see prompts/list`;
  return refusal(RPC.invalidParams, message);
}

/** The server and the prompt's own name for a client's name. */
export async function findPrompt(
  client: ServedClient,
  name: unknown,
  lists: ServerLists,
): Promise<{ server: Server; name: string } | undefined> {
  if (typeof name !== "string") return undefined;
  const parsed = parseToolName(name);
  const server = parsed && client.scope.get(parsed.toolbox)?.servers.get(parsed.server);
  if (!parsed || !server) return undefined;
  if (formatToolName(parsed) === name) {
    if (isPinned(server)) await requireApprovedPrompt(client, server, parsed.name);
    return { server, name: parsed.name };
  }
  // The name was made legal, and only a listing knows what it stands for.
  for (const { value } of await lists.listServer(client, server, "prompts"))
    if (promptName(server, value["name"]) === name) return { server, name: String(value["name"]) };
  return undefined;
}

function promptName(server: Server, name: unknown): string {
  return formatToolName({ ...server.place, name: String(name) });
}
