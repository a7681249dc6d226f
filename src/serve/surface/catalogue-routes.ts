import type { Destination } from "../../calls/destination.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import type { Reach, ServerLists } from "../../workbench/server-lists.ts";
import type { ServedClient } from "../served-client.ts";
import { complete } from "./completion.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";

type Route = (
  client: ServedClient,
  request: IncomingRequest,
  lists: ServerLists,
  reach: Reach,
) => Destination | Promise<Destination>;

const ROUTES: Readonly<Record<string, Route>> = {
  "prompts/list": listPrompts,
  "prompts/get": getPrompt,
  "resources/list": listResources,
  "resources/templates/list": listTemplates,
  "resources/read": readResource,
  "completion/complete": complete,
};

/** The route of a method that concerns the prompts or resources of several servers. */
export function catalogueRoute(method: string): Route | undefined {
  return Object.hasOwn(ROUTES, method) ? ROUTES[method] : undefined;
}
