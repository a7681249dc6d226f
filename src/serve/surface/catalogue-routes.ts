import { complete } from "./completion.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";
import type { CatalogueRoute } from "./surface.ts";

const ROUTES: Readonly<Record<string, CatalogueRoute>> = {
  "prompts/list": listPrompts,
  "prompts/get": getPrompt,
  "resources/list": listResources,
  "resources/templates/list": listTemplates,
  "resources/read": readResource,
  "completion/complete": complete,
};

/** The route of a method that concerns the prompts or resources of several servers. */
export function catalogueRoute(method: string): CatalogueRoute | undefined {
  return Object.hasOwn(ROUTES, method) ? ROUTES[method] : undefined;
}
