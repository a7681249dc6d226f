import type { WorkbenchSettings } from "../config/types.ts";
import { type WorkbenchError, workbenchError } from "../errors.ts";
import { TaskPlaces } from "../relay/tasks.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server } from "../servers/server.ts";
import { nearest } from "../text/nearest.ts";
import type { ToolIdentifier } from "../toolboxes/identifier.ts";
import { Toolbox } from "../toolboxes/toolbox.ts";

/** Owns the toolboxes and everything that runs in them. */
export class Workbench {
  readonly settings: WorkbenchSettings;
  readonly toolboxes: ReadonlyMap<string, Toolbox>;
  readonly tasks = new TaskPlaces();
  /** Told of every new connection. */
  readonly watchers = new Set<(server: Server, connection: Connection) => void>();

  constructor(settings: WorkbenchSettings) {
    this.settings = settings;
    const connected = (server: Server, connection: Connection): void => {
      for (const watcher of this.watchers) watcher(server, connection);
    };
    this.toolboxes = new Map(
      Array.from(settings.toolboxes, ([name, box]) => [name, new Toolbox(box, connected)]),
    );
  }

  /** Ends every server, all at once. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.toolboxes.values(), (toolbox) => toolbox.close()));
  }
}

/** The toolboxes a client may use. */
export type Scope = ReadonlyMap<string, Toolbox>;

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

export function toolNotFound(tool: ToolIdentifier, connection: Connection): WorkbenchError {
  const names = connection.catalogue.tools.keys();
  return workbenchError("TOOL_NOT_FOUND", tool, choices(tool.name, names));
}

const MOST_CHOICES = 12;

/** The nearest name, or the names there are. */
function choices(wanted: string, existing: Iterable<string>): string {
  const names = [...existing];
  const near = nearest(wanted, names);
  if (near !== undefined) return `Did you mean '${near}'?`;
  if (names.length === 0) return "There are none";
  const shown = names.slice(0, MOST_CHOICES).join(", ");
  const more = names.length - MOST_CHOICES;
  return `Available: ${shown}${more > 0 ? `, and ${more} more` : ""}`;
}
