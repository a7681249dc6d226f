import type { WorkbenchSettings } from "../config/types.ts";
import { type WorkbenchError, workbenchError } from "../errors.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server, ServerEvents } from "../servers/server.ts";
import { nearest } from "../text/nearest.ts";
import type { ToolIdentifier } from "../toolboxes/identifier.ts";
import { Toolbox } from "../toolboxes/toolbox.ts";
import type { IncomingNotification, IncomingRequest } from "../wire/messages.ts";

/** What clients are told about the servers behind the workbench. */
export interface WorkbenchListener {
  toolsChanged(server: Server, connection: Connection): void;
  notified(server: Server, connection: Connection, notification: IncomingNotification): void;
  /** True if the listener takes it upon itself to answer. */
  requested(server: Server, connection: Connection, request: IncomingRequest): boolean;
}

/** Owns the toolboxes and everything that runs in them. */
export class Workbench {
  readonly settings: WorkbenchSettings;
  readonly toolboxes: ReadonlyMap<string, Toolbox>;
  readonly #listeners = new Set<WorkbenchListener>();

  constructor(settings: WorkbenchSettings) {
    this.settings = settings;
    const events: ServerEvents = {
      toolsChanged: (server, connection) => {
        for (const listener of this.#listeners) listener.toolsChanged(server, connection);
      },
      notified: (server, connection, notification) => {
        for (const listener of this.#listeners) listener.notified(server, connection, notification);
      },
      requested: (server, connection, request) => this.#requested(server, connection, request),
    };
    this.toolboxes = new Map(
      Array.from(settings.toolboxes, ([name, box]) => [name, new Toolbox(box, events)]),
    );
  }

  listen(listener: WorkbenchListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A client has closed this toolbox: its connections end, to be made anew if it is used again. */
  async release(toolbox: Toolbox): Promise<void> {
    await toolbox.disconnect();
  }

  /** Ends every server, all at once. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.toolboxes.values(), (toolbox) => toolbox.close()));
  }

  #requested(server: Server, connection: Connection, request: IncomingRequest): void {
    if (request.method === "ping") {
      connection.send(`{"jsonrpc":"2.0","id":${request.idText},"result":{}}`);
      return;
    }
    for (const listener of this.#listeners)
      if (listener.requested(server, connection, request)) return;
    connection.send(
      `{"jsonrpc":"2.0","id":${request.idText},"error":{"code":-32601,"message":"Method not found"}}`,
    );
  }
}

/** The toolboxes a client may use. */
export type Scope = ReadonlyMap<string, Toolbox>;

export function findToolbox(scope: Scope, name: string): Toolbox | WorkbenchError {
  return (
    scope.get(name) ?? workbenchError("TOOLBOX_NOT_FOUND", { toolbox: name }, choices(name, scope.keys()))
  );
}

export function findServer(scope: Scope, tool: ToolIdentifier): Server | WorkbenchError {
  const toolbox = scope.get(tool.toolbox);
  if (toolbox === undefined) return findToolbox(scope, tool.toolbox) as WorkbenchError;
  return (
    toolbox.servers.get(tool.server) ??
    workbenchError("SERVER_NOT_FOUND", tool, choices(tool.server, toolbox.servers.keys()))
  );
}

export function toolNotFound(tool: ToolIdentifier, connection: Connection): WorkbenchError {
  return workbenchError("TOOL_NOT_FOUND", tool, choices(tool.name, connection.catalogue.tools.keys()));
}

const MOST_CHOICES = 12;

/** The nearest name, or the names there are. */
function choices(wanted: string, existing: Iterable<string>): string {
  const names = [...existing];
  const near = nearest(wanted, names);
  if (near !== undefined) return `Did you mean '${near}'?`;
  if (names.length === 0) return "There are none";
  const shown = names.slice(0, MOST_CHOICES).join(", ");
  return `Available: ${shown}${names.length > MOST_CHOICES ? `, and ${names.length - MOST_CHOICES} more` : ""}`;
}
