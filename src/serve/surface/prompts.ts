import { RPC } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import { formatToolName, parseToolName } from "../../toolboxes/native-names.ts";
import { withMembers } from "../../wire/members.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { type Reach, listAcross, reachableServers } from "./across.ts";
import { forward } from "../forward.ts";
import type { Requester } from "../requester.ts";

/** Prompts of all servers, named like native tools: `{toolbox}__{server}__{prompt}`. */

export async function listPrompts(
  requester: Requester,
  request: IncomingRequest,
  reach: Reach,
): Promise<void> {
  const servers = await reachableServers(requester, reach, "prompts");
  const listed = await listAcross(servers, "prompts");
  const prompts = listed.flatMap(({ server, items }) =>
    items.map((item) =>
      withMembers(item.text, { name: JSON.stringify(promptName(server, item.value["name"])) }),
    ),
  );
  requester.replyText(request, `{"prompts":[${prompts.join(",")}]}`);
}

export async function getPrompt(requester: Requester, request: IncomingRequest): Promise<void> {
  const prompt = await findPrompt(requester, request.params["name"]);
  if (prompt === undefined) refusePrompt(requester, request, request.params["name"]);
  else
    forward(requester, request, prompt.server, prompt.name, { name: JSON.stringify(prompt.name) });
}

export function refusePrompt(requester: Requester, request: IncomingRequest, name: unknown): void {
  const message = `Prompt ${JSON.stringify(name)} not found. Names are {toolbox}__{server}__{prompt}, see prompts/list`;
  requester.refuse(request, { code: RPC.invalidParams, message });
}

/** The server and the prompt's own name behind a name of ours. */
export async function findPrompt(
  requester: Requester,
  name: unknown,
): Promise<{ server: Server; name: string } | undefined> {
  if (typeof name !== "string") return undefined;
  const parsed = parseToolName(name);
  const server = parsed && requester.scope.get(parsed.toolbox)?.servers.get(parsed.server);
  if (!parsed || !server) return undefined;
  if (formatToolName(parsed) === name) return { server, name: parsed.name };
  // The name was made legal, and only a listing knows what it stands for.
  const connection = await requester.connect(server);
  const listed = await listAcross([{ server, connection }], "prompts");
  for (const { items } of listed)
    for (const { value } of items)
      if (promptName(server, value["name"]) === name)
        return { server, name: String(value["name"]) };
  return undefined;
}

function promptName(server: Server, name: unknown): string {
  return formatToolName({
    toolbox: server.settings.toolbox,
    server: server.name,
    name: String(name),
  });
}
