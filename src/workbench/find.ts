import { type WorkbenchError, isWorkbenchError, workbenchError } from "../errors.ts";
import type { Server } from "../servers/server.ts";
import { choices } from "../text/choices.ts";
import type { ToolIdentifier } from "../calls/identifier.ts";
import type { Toolbox } from "../toolboxes/toolbox.ts";
import type { Scope } from "./scopes.ts";

/** Finds what a client names; errors suggest similar names. */

export function findToolbox(scope: Scope, name: string): Toolbox | WorkbenchError {
  return (
    scope.get(name) ??
    workbenchError("TOOLBOX_NOT_FOUND", { toolbox: name }, choices(name, scope.keys()))
  );
}

export function findServer(
  scope: Scope,
  tool: Omit<ToolIdentifier, "name">,
): Server | WorkbenchError {
  return scope.get(tool.toolbox)?.servers.get(tool.server) ?? serverNotFound(scope, tool);
}

/** Says which part of the name is wrong: that of the toolbox or that of the server. */
export function serverNotFound(scope: Scope, tool: Omit<ToolIdentifier, "name">): WorkbenchError {
  const toolbox = findToolbox(scope, tool.toolbox);
  if (isWorkbenchError(toolbox)) return toolbox;
  return workbenchError("SERVER_NOT_FOUND", tool, choices(tool.server, toolbox.servers.keys()));
}

/** Throws the error that explains why nothing was found. */
export function orThrow<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw found;
  return found as Exclude<T, Error>;
}
