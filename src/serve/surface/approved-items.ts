import { notApproved } from "../../calls/call-errors.ts";
import type { Destination } from "../../calls/destination.ts";
import { result } from "../../calls/outcome.ts";
import { shortReasonOf, workbenchError } from "../../errors.ts";
import { isSkillUri } from "../../protocol/skills-extension.ts";
import { shownItems } from "../../servers/definition-pins.ts";
import { listAll } from "../../servers/requests/list-all.ts";
import type { ListedItem } from "../../servers/requests/list-reader.ts";
import { LIST_METHODS, type ListName } from "../../servers/server-memory.ts";
import type { Server } from "../../servers/server.ts";
import { shownName } from "../../text/shown-name.ts";
import { type IncomingRequest, isObject } from "../../wire/messages.ts";
import { viewedItems } from "../apps/server-view.ts";
import type { ServedClient } from "../served-client.ts";
import { type Viewer, mayUseAll } from "./seen-tools.ts";

/** What a server lists now and the user has approved. */
export async function approvedItems(
  client: ServedClient,
  server: Server,
  list: ListName,
): Promise<readonly ListedItem[]> {
  const connection = await client.connect(server);
  const items = await listAll(connection, LIST_METHODS[list].method, list);
  return shownItems(server.host.pins, server.place, list, items);
}

const CHANGED_OR_NEW = "it has changed since it was approved, or it is new";

/** Rejects if the user has not approved a prompt as the server defines it now. */
export async function requireApprovedPrompt(
  client: ServedClient,
  server: Server,
  name: string,
): Promise<void> {
  const prompts = await approvedItems(client, server, "prompts");
  if (prompts.some(({ value }) => value["name"] === name)) return;
  throw notApproved(server.place, `prompt '${shownName(name)}'`, CHANGED_OR_NEW);
}

/** Rejects if the user has not approved a resource template as the server defines it now. */
export async function requireApprovedTemplate(
  client: ServedClient,
  server: Server,
  uri: string,
): Promise<void> {
  const templates = await approvedItems(client, server, "resourceTemplates");
  if (templates.some(({ value }) => value["uriTemplate"] === uri)) return;
  throw notApproved(server.place, `resource template '${shownName(uri)}'`, CHANGED_OR_NEW);
}

/** Why a tool is not listed, if the user has to approve it first and nothing else hides it. */
export function withheldHint(
  client: Viewer,
  server: Pick<Server, "place" | "connections"> | undefined,
  name: string,
): string | undefined {
  if (server === undefined || !mayUseAll(client, server)) return undefined;
  for (const { catalogue } of server.connections.values()) {
    const reason = catalogue.withheld.get(name);
    if (reason !== undefined)
      return `It is blocked: ${shortReasonOf(notApproved(server.place, "tool", reason))}`;
  }
  return undefined;
}

const PINNED_LISTS = ["prompts", "resources", "resourceTemplates", "skills"] as const;

/**
 * The route of a request about the prompts, templates and skills of a server that a client sees
 * directly; undefined for other requests. Those that are not approved do not exist.
 */
export function routePinned(
  client: ServedClient,
  server: Server,
  request: IncomingRequest,
): Destination | Promise<Destination> | undefined {
  const { method, params } = request;
  const list = PINNED_LISTS.find((name) => LIST_METHODS[name].method === method);
  if (list !== undefined)
    return {
      answer: async () => {
        refuseCursor(request);
        const items = await approvedItems(client, server, list);
        const texts = await viewedItems(client, list, items);
        return result(`{"${list}":[${texts.join(",")}]}`);
      },
    };
  const isRead = method === "resources/read" && isSkillUri(params["uri"]);
  if (isRead || method === "skills/get" || method === "resources/directory/read")
    throw notApproved(server.place, "skill", "a lock file does not have skills");
  if (method !== "prompts/get" && method !== "completion/complete") return undefined;
  const ref = isObject(params["ref"]) ? params["ref"] : {};
  const name = method === "prompts/get" ? params["name"] : ref["name"];
  const { uri } = ref;
  const approved: Promise<void>[] = [];
  if (typeof name === "string") approved.push(requireApprovedPrompt(client, server, name));
  // A server may take either member for what is meant, so both have to be approved.
  if (method === "completion/complete" && typeof uri === "string")
    approved.push(requireApprovedTemplate(client, server, uri));
  if (approved.length === 0) return undefined;
  const subject = typeof name === "string" ? name : String(uri);
  return Promise.all(approved).then(() => ({ server, subject }));
}

/** Lists that are answered by the workbench have one page. */
export function refuseCursor({ params: { cursor } }: IncomingRequest): void {
  // Some clients send an empty one for the first page.
  if (cursor !== undefined && cursor !== null && cursor !== "")
    throw workbenchError("INVALID_PARAMETERS", { reason: "cursor: Unknown cursor" });
}
