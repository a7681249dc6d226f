/** Prompts of all servers, named like native tools: `{toolbox}__{server}__{prompt}`. */
import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, refusal } from "../../calls/outcome.ts";
import { RPC } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import { formatToolName, parseToolName } from "../../toolboxes/native-names.ts";
import { withMembers } from "../../wire/members.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import type { Reach, ServerLists } from "../../workbench/server-lists.ts";
import type { ServedClient } from "../served-client.ts";
import { listResult } from "./list-result.ts";
import { rewrittenItems } from "./rewritten-items.ts";

export function listPrompts(
  client: ServedClient,
  _request: IncomingRequest,
  lists: ServerLists,
  reach: Reach,
): Destination {
  return {
    answer: async () => {
      const { found, missing } = await lists.list(client, "prompts", reach);
      const texts = await rewrittenItems(found, (server, { text, value }) =>
        withMembers(text, { name: JSON.stringify(promptName(server, value["name"])) }),
      );
      return listResult("prompts", texts, missing);
    },
  };
}

export async function getPrompt(
  client: ServedClient,
  request: IncomingRequest,
  lists: ServerLists,
): Promise<Destination> {
  const { name } = request.params;
  const prompt = await findPrompt(client, name, lists);
  if (prompt === undefined) return answered(promptNotFound(name));
  const { server, name: own } = prompt;
  return { server, subject: own, changes: { name: JSON.stringify(own) } };
}

export function promptNotFound(name: unknown): Outcome {
  const message = `Prompt ${JSON.stringify(name)} not found. Names are {toolbox}__{server}__{prompt}, see prompts/list`;
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
  if (formatToolName(parsed) === name) return { server, name: parsed.name };
  // The name was made legal, and only a listing knows what it stands for.
  for (const { value } of await lists.listServer(client, server, "prompts"))
    if (promptName(server, value["name"]) === name) return { server, name: String(value["name"]) };
  return undefined;
}

function promptName(server: Server, name: unknown): string {
  return formatToolName({ ...server.place, name: String(name) });
}
