import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../errors.ts";
import { Call } from "../relay/call.ts";
import { type ArgumentsAt, progressTokenOf, toolCallText } from "../relay/tool-call-text.ts";
import type { ListedTool } from "../servers/catalogue.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server } from "../servers/server.ts";
import type { ToolIdentifier } from "../toolboxes/identifier.ts";
import type { IncomingRequest } from "../wire/messages.ts";
import { toolNotFound } from "../workbench/workbench.ts";
import type { Session } from "./session.ts";

/** The tools a session shows, and what calling them means. */
export interface ToolSurface {
  /** The elements of the tools array, as JSON. */
  list(): string;
  call(request: IncomingRequest): void;
  toolsChanged(server: Server, connection: Connection): void;
}

/**
 * Sends a client's tool call to the server that has the tool. This is the one place where calls
 * are dispatched. With the server connected, which is the rule, nothing here waits.
 */
export function callTool(
  session: Session,
  request: IncomingRequest,
  server: Server,
  tool: ToolIdentifier,
  at: ArgumentsAt,
): void {
  const call = new Call(session, request.idText, "tools/call", tool.name, progressTokenOf(request));
  session.track(call);
  const connection = server.ready(session.profile);
  const known = connection?.catalogue.tools.get(tool.name);
  if (connection !== undefined && known !== undefined) send(call, connection, request, known, at);
  else void callLater(session, call, request, server, tool, at);
}

async function callLater(
  session: Session,
  call: Call,
  request: IncomingRequest,
  server: Server,
  tool: ToolIdentifier,
  at: ArgumentsAt,
): Promise<void> {
  try {
    const connection = await server.connect(session.profile);
    if (!connection.catalogue.tools.has(tool.name)) await server.refreshed(connection);
    if (call.cancelled) return;
    const known = connection.catalogue.tools.get(tool.name);
    if (known === undefined) session.failed(call, toolNotFound(tool, connection));
    else send(call, connection, request, known, at);
  } catch (error) {
    if (!call.cancelled) session.failed(call, asWorkbenchError(error, tool));
  }
}

function send(
  call: Call,
  connection: Connection,
  request: IncomingRequest,
  tool: ListedTool,
  at: ArgumentsAt,
): void {
  const problem = connection.admit(call);
  if (problem !== undefined) {
    call.caller.failed(call, problem);
    return;
  }
  call.route = connection;
  connection.dispatch(call, toolCallText(request, call.id, tool.nameJson, at));
}

function asWorkbenchError(error: unknown, tool: ToolIdentifier): WorkbenchError {
  if (isWorkbenchError(error)) return error;
  return workbenchError("CONNECTION_FAILED", { ...tool, reason: reasonOf(error) });
}
