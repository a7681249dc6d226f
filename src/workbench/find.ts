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
  const toolbox = scope.get(tool.toolbox);
  if (toolbox === undefined) return findToolbox(scope, tool.toolbox) as WorkbenchError;
  return (
    toolbox.servers.get(tool.server) ??
    workbenchError("SERVER_NOT_FOUND", tool, choices(tool.server, toolbox.servers.keys()))
  );
}

/** Throws the error that explains why nothing was found. */
export function orThrow<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw found;
  return found as Exclude<T, Error>;
}
