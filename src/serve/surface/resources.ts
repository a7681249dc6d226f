import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, refusal } from "../../calls/outcome.ts";
import { RPC } from "../../errors.ts";
import { withMembers } from "../../wire/members.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import type { Reach, ServerLists } from "../../workbench/server-lists.ts";
import type { ServedClient } from "../served-client.ts";
import { listResult } from "./list-result.ts";
import { rewrittenItems } from "./rewritten-items.ts";
import { findResource, resourceUri } from "./resource-uris.ts";

export function listResources(
  client: ServedClient,
  _request: IncomingRequest,
  lists: ServerLists,
  reach: Reach,
): Destination {
  return { answer: () => listPrefixed(client, lists, reach, "resources", "uri") };
}

export function listTemplates(
  client: ServedClient,
  _request: IncomingRequest,
  lists: ServerLists,
  reach: Reach,
): Destination {
  return {
    answer: () => listPrefixed(client, lists, reach, "resourceTemplates", "uriTemplate"),
  };
}

/** `resources/read`: goes to the server of the URI. */
export async function readResource(
  client: ServedClient,
  request: IncomingRequest,
  lists: ServerLists,
): Promise<Destination> {
  const { uri } = request.params;
  if (typeof uri !== "string") return answered(uriRequired());
  const address = await findResource(client, uri, lists);
  if ("code" in address) return answered({ kind: "refusal", error: address });
  const { server } = address;
  return { server, subject: uri, changes: { uri: JSON.stringify(address.uri) } };
}

export function uriRequired(): Outcome {
  return refusal(RPC.invalidParams, "uri: Required (expected string)");
}

async function listPrefixed(
  client: ServedClient,
  lists: ServerLists,
  reach: Reach,
  list: "resources" | "resourceTemplates",
  key: string,
): Promise<Outcome> {
  const { found, missing } = await lists.list(client, list, reach);
  const texts = await rewrittenItems(found, (server, { text, value }) =>
    withMembers(text, { [key]: JSON.stringify(resourceUri(server, String(value[key]))) }),
  );
  return listResult(list, texts, missing);
}
