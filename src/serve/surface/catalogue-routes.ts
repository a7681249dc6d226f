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
  "skills/list": async (...about) => (await skillRoutes()).listSkills(...about),
  "skills/get": async (...about) => (await skillRoutes()).getSkill(...about),
  "resources/directory/read": async (...about) => (await skillRoutes()).readDirectory(...about),
};

function skillRoutes(): Promise<typeof import("../skills/skill-routes.ts")> {
  return import("../skills/skill-routes.ts");
}

/** The route of a method that concerns the prompts or resources of several servers. */
export function catalogueRoute(method: string): CatalogueRoute | undefined {
  return Object.hasOwn(ROUTES, method) ? ROUTES[method] : undefined;
}
