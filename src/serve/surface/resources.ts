import { RPC } from "../../errors.ts";
import { withMembers } from "../../wire/members.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { type Reach, listAcross, reachableServers } from "./across.ts";
import { forward } from "../forward.ts";
import type { Requester } from "../requester.ts";
import { findResource, resourceUri } from "./resource-uris.ts";

export async function listResources(
  requester: Requester,
  request: IncomingRequest,
  reach: Reach,
): Promise<void> {
  const servers = await reachableServers(requester, reach, "resources");
  replyPrefixed(requester, request, "resources", "uri", await listAcross(servers, "resources"));
}

export async function listTemplates(
  requester: Requester,
  request: IncomingRequest,
  reach: Reach,
): Promise<void> {
  const servers = await reachableServers(requester, reach, "resourceTemplates");
  const listed = await listAcross(servers, "resourceTemplates");
  replyPrefixed(requester, request, "resourceTemplates", "uriTemplate", listed);
}

/** `resources/read`: goes to the server that the URI leads to. */
export async function readResource(requester: Requester, request: IncomingRequest): Promise<void> {
  const { uri } = request.params;
  if (typeof uri !== "string") {
    refuseUri(requester, request);
    return;
  }
  const address = await findResource(requester, uri);
  if ("code" in address) requester.refuse(request, address);
  else forward(requester, request, address.server, uri, { uri: JSON.stringify(address.uri) });
}

export function refuseUri(requester: Requester, request: IncomingRequest): void {
  const message = "uri: Required (expected string)";
  requester.refuse(request, { code: RPC.invalidParams, message });
}

function replyPrefixed(
  requester: Requester,
  request: IncomingRequest,
  list: string,
  key: string,
  listed: Awaited<ReturnType<typeof listAcross>>,
): void {
  const texts = listed.flatMap(({ server, items }) =>
    items.map(({ text, value }) =>
      withMembers(text, { [key]: JSON.stringify(resourceUri(server, String(value[key]))) }),
    ),
  );
  requester.replyText(request, `{"${list}":[${texts.join(",")}]}`);
}
