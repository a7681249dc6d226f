import { type Destination, type ToolDestination, answered } from "../../calls/destination.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import { UI_EXTENSION, isPageUri, supportsUi } from "../../protocol/ui-extension.ts";
import type { Catalogue, ListedTool } from "../../servers/tools/catalogue.ts";
import type { ListedItem } from "../../servers/requests/list-reader.ts";
import type { ListName } from "../../servers/server-memory.ts";
import type { Server } from "../../servers/server.ts";
import { type IncomingRequest, type JsonObject, isObject } from "../../wire/messages.ts";
import type { ServedClient } from "../served-client.ts";
import { addressOn } from "../surface/resource-uris.ts";
import { textsOf } from "../surface/seen-tools.ts";
import { hideTasksOfOthers } from "../surface/tasks.ts";
import { refuseAppTool, removeUi } from "./amend-ui.ts";
import { type DeclaringClient, hasUiSupport } from "./ui-client.ts";

/**
 * Pages in the view of one server. A client that supports them sees the server as it is, and leaves
 * out itself what is not for the model. All others see nothing of pages.
 */

/** The destination of a call of a tool that the client found in its list. */
export function viewedTool(client: DeclaringClient, called: ToolDestination): ToolDestination {
  return hasUiSupport(client)
    ? { ...called, reachesAppTools: true }
    : { ...called, amend: removeUi };
}

/** The destination of a request that is sent on unchanged, unless it is about tasks of others. */
export function viewedServer(
  client: ServedClient,
  server: Server,
  request: IncomingRequest,
): Destination {
  const hidden = hideTasksOfOthers(client, request, server);
  if (hidden !== undefined) return hidden;
  const subject = subjectOf(request);
  if (hasUiSupport(client)) return { server, subject };
  if (request.method.startsWith("resources/") && isPageUri(subject)) {
    const address = addressOn(client, server, subject);
    if ("code" in address) return answered({ kind: "refusal", error: address });
  }
  return { server, subject, check: refuseAppTool, amend: removeUi };
}

function subjectOf(request: IncomingRequest): string {
  if (request.plain !== undefined) return request.plain.name;
  const { name, uri, taskId } = request.params;
  const isResource = request.method.startsWith("resources/");
  for (const subject of isResource ? [uri] : [name, uri, taskId])
    if (typeof subject === "string") return subject;
  return "";
}

/** The definitions of all tools that a client may see, also of those that only pages may use. */
export function allTexts(
  catalogue: Catalogue,
  seen: (tools: SeenTools<ListedTool>) => SeenTools<ListedTool>,
): string[] {
  const { appTools } = catalogue;
  return [...textsOf(seen(catalogue)), ...(appTools ? textsOf(seen(appTools)) : [])];
}

/** Those of them that the client gets, as it gets them. */
export async function shownTexts(
  client: DeclaringClient,
  { hasUi }: Catalogue,
  texts: readonly string[],
): Promise<readonly string[]> {
  if (!hasUi || hasUiSupport(client)) return texts;
  const { itemWithoutUi } = await import("./ui-responses.ts");
  return texts.flatMap(itemWithoutUi);
}

/** The items of another list that the client gets, as it gets them. */
export async function viewedItems(
  client: DeclaringClient,
  list: ListName,
  items: readonly ListedItem[],
): Promise<readonly string[]> {
  const texts = items.map(({ text }) => text);
  const hasPages = list === "resources" || list === "resourceTemplates";
  if (!hasPages || hasUiSupport(client)) return texts;
  const { itemWithoutUi } = await import("./ui-responses.ts");
  return texts.flatMap(itemWithoutUi);
}

/** How the server describes itself; the extension is declared to clients that support it. */
export function viewedHello(client: DeclaringClient, hello: JsonObject): JsonObject {
  const { capabilities } = hello;
  if (!isObject(capabilities) || !supportsUi(capabilities) || hasUiSupport(client)) return hello;
  const { extensions, ...rest } = capabilities;
  const { [UI_EXTENSION]: _ui, ...others } = extensions as JsonObject;
  const hasOthers = Object.keys(others).length > 0;
  return { ...hello, capabilities: hasOthers ? { ...rest, extensions: others } : rest };
}
