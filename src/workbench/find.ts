import { type WorkbenchError, isWorkbenchError, workbenchError } from "../errors.ts";
import type { Server } from "../servers/server.ts";
import { choices } from "../text/choices.ts";
import { nearest } from "../text/nearest.ts";
import type { ToolIdentifier } from "../calls/identifier.ts";
import type { ToolboxView } from "../toolboxes/toolbox.ts";
import type { Scope } from "./scopes.ts";

/** Finds what a client names; errors suggest similar names, and where a server is. */

export function findToolbox<T extends ToolboxView>(
  scope: ReadonlyMap<string, T>,
  name: string,
): T | WorkbenchError {
  const found = scope.get(name);
  if (found !== undefined) return found;
  const [toolbox = "", server] = name.split("/");
  const hint =
    server !== undefined && scope.has(toolbox)
      ? `Did you mean '${toolbox}'?`
      : (placeHint(name, toolboxesWith(scope, name)) ?? choices(name, scope.keys()));
  return workbenchError("TOOLBOX_NOT_FOUND", { toolbox: name }, hint);
}

export function findServer(
  scope: Scope,
  tool: Omit<ToolIdentifier, "name">,
): Server | WorkbenchError {
  return scope.get(tool.toolbox)?.servers.get(tool.server) ?? serverNotFound(scope, tool);
}

/** Says which part of the name is wrong, that of the toolbox or that of the server. */
export function serverNotFound(scope: Scope, tool: Omit<ToolIdentifier, "name">): WorkbenchError {
  const toolbox = scope.get(tool.toolbox);
  const places = toolboxesWith(scope, tool.server);
  if (toolbox !== undefined) {
    const hint = placeHint(tool.server, places) ?? choices(tool.server, enabledNames(toolbox));
    return workbenchError("SERVER_NOT_FOUND", tool, hint);
  }
  // A typo is more likely than another toolbox.
  if (places.length === 0 || nearest(tool.toolbox, places) !== undefined)
    return findToolbox(scope, tool.toolbox) as WorkbenchError;
  return workbenchError("TOOLBOX_NOT_FOUND", tool, placeHint(tool.server, places));
}

/** The toolboxes that have an enabled server of this name. */
function toolboxesWith(scope: Scope, server: string): string[] {
  return Array.from(scope).flatMap(([name, { servers }]) =>
    servers.get(server)?.settings.disabled === false ? [name] : [],
  );
}

function enabledNames({ servers }: Pick<ToolboxView, "servers">): string[] {
  return Array.from(servers).flatMap(([name, { settings }]) => (settings.disabled ? [] : [name]));
}

const MAX_PLACES = 5;

/** Where a server is; undefined if it does not exist. */
function placeHint(server: string, toolboxes: readonly string[]): string | undefined {
  if (toolboxes.length === 0) return undefined;
  const names = toolboxes.slice(0, MAX_PLACES).map((name) => `'${name}'`);
  return `Server '${server}' is in toolbox ${names.join(" and in toolbox ")}`;
}

/** Throws the error that explains why nothing was found. */
export function orThrow<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw found;
  return found as Exclude<T, Error>;
}
