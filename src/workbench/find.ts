import { type WorkbenchError, isWorkbenchError, workbenchError } from "../errors.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server } from "../servers/server.ts";
import { nearest } from "../text/nearest.ts";
import type { ToolIdentifier } from "../toolboxes/identifier.ts";
import type { Toolbox } from "../toolboxes/toolbox.ts";
import type { Scope } from "./scopes.ts";

/** Finds what a client names, or says what it may have meant. */

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

/** Throws the error that says why nothing was found. */
export function orThrow<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw found;
  return found as Exclude<T, Error>;
}

export function toolNotFound(tool: ToolIdentifier, connection: Connection): WorkbenchError {
  const names = connection.catalogue.tools.keys();
  return workbenchError("TOOL_NOT_FOUND", tool, choices(tool.name, names));
}

const MOST_CHOICES = 12;

/** The nearest name, or the names there are. */
export function choices(wanted: string, existing: Iterable<string>): string {
  const names = [...existing];
  const near = nearest(wanted, names);
  if (near !== undefined) return `Did you mean '${near}'?`;
  if (names.length === 0) return "There are none";
  const shown = names.slice(0, MOST_CHOICES).join(", ");
  const more = names.length - MOST_CHOICES;
  return `Available: ${shown}${more > 0 ? `, and ${more} more` : ""}`;
}
