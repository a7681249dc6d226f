import type { View } from "../../clients/entry.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { workbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";

/** Why a configuration cannot show this view: a toolbox or server that it does not have. */
export function missingInView(
  { toolboxes: names = [], server }: View,
  { toolboxes }: Pick<WorkbenchSettings, "toolboxes">,
): { readonly reason: string; readonly hint: string } | undefined {
  for (const name of names) {
    if (toolboxes.has(name)) continue;
    return { reason: `Toolbox '${name}' not found`, hint: choices(name, toolboxes.keys()) };
  }
  if (server === undefined) return undefined;
  const [box = "", ...rest] = server.split("/");
  const servers = toolboxes.get(box)?.servers;
  if (servers?.has(rest.join("/")) === true) return undefined;
  const all = Array.from(toolboxes, ([toolbox, settings]) =>
    Array.from(settings.servers.keys(), (name) => `${toolbox}/${name}`),
  ).flat();
  return { reason: `Server '${server}' not found`, hint: choices(server, all) };
}

/** Refuses a view that the configuration does not have. */
export function checkView(view: View, settings: WorkbenchSettings): void {
  const missing = missingInView(view, settings);
  if (missing !== undefined)
    throw workbenchError("USAGE", { reason: missing.reason }, missing.hint);
}

/** The settings with only those servers that a view shows. */
export function settingsInView(
  settings: WorkbenchSettings,
  { toolboxes: names = [], server }: View,
): WorkbenchSettings {
  if (names.length === 0 && server === undefined) return settings;
  const [box, ...rest] = server?.split("/") ?? [];
  const shown = Array.from(settings.toolboxes).flatMap(([name, toolbox]) => {
    if (server === undefined) return names.includes(name) ? [[name, toolbox] as const] : [];
    const only = toolbox.servers.get(rest.join("/"));
    if (name !== box || only === undefined) return [];
    return [[name, { ...toolbox, servers: new Map([[only.name, only]]) }] as const];
  });
  return { ...settings, toolboxes: new Map(shown) };
}
