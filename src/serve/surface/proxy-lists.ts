import { listedText, offersScripts, proxyTools } from "../../workbench/meta-tools/definitions.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { hasUiSupport } from "../apps/ui-client.ts";
import type { ServedClient } from "../served-client.ts";

/** Whether the tool list of a client that sees several servers depends on their pages. */
export function listsPages({ settings }: Workbench, client: ServedClient): boolean {
  return settings.toolMode === "proxy" && hasUiSupport(client);
}

/** The meta-tools in toolMode "proxy"; they depend only on the configuration. */
export function proxyToolTexts(
  scope: Scope,
  { readTool: offered, scripts }: Workbench["settings"],
  principal: ServedClient["principal"],
  showsPages = false,
): string[] {
  const boxes = Array.from(scope.values(), (toolbox) => toolbox.settings);
  const hasScripts = offersScripts(scripts, principal);
  return proxyTools(boxes, offered, hasScripts).map((tool) => listedText(tool, boxes, showsPages));
}

/** The list of a client that supports pages: it also has the tools with pages that are known. */
export async function proxyTextsWithPages(
  { settings }: Workbench,
  client: ServedClient,
): Promise<string[]> {
  const { uiToolTexts } = await import("../apps/app-tools.ts");
  const pages = await uiToolTexts(client);
  return [...proxyToolTexts(client.scope, settings, client.principal, true), ...pages];
}
