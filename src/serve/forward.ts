import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../errors.ts";
import { Call, type MoreInput } from "../relay/call.ts";
import { metaText, progressTokenOf, requestTextFor } from "../relay/request-text.ts";
import { type ArgumentsAt, argumentsProblem, toolCallText } from "../relay/tool-call-text.ts";
import type { ListedTool } from "../servers/tools/catalogue.ts";
import { busy, neverSent } from "../servers/call-refusals.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server } from "../servers/server.ts";
import type { ToolIdentifier } from "../toolboxes/identifier.ts";
import type { IncomingRequest } from "../wire/messages.ts";
import { toolNotFound } from "../workbench/find.ts";
import type { Requester } from "./requester.ts";

/**
 * Sends a client's tool call to the server that has the tool. With the server connected, which is
 * the rule, nothing here waits.
 */
export function callTool(
  requester: Requester,
  request: IncomingRequest,
  server: Server,
  tool: ToolIdentifier,
  at: ArgumentsAt,
): void {
  const call = new Call(
    requester,
    request.idText,
    "tools/call",
    tool.name,
    progressTokenOf(request),
  );
  requester.track(call);
  const connection = requester.linked(server);
  const known = connection?.catalogue.tools.get(tool.name);
  if (connection !== undefined && known !== undefined)
    sendToolCall(call, requester, server, connection, request, known, at);
  else
    void whenConnected(requester, server, call, async (late) => {
      if (!late.catalogue.tools.has(tool.name)) await server.refreshed(late);
      const found = late.catalogue.tools.get(tool.name);
      if (found === undefined) throw toolNotFound(tool, late);
      if (!call.cancelled) sendToolCall(call, requester, server, late, request, found, at);
    });
}

/** Sends any other request to a server, with some of its parameters replaced. */
export function forward(
  requester: Requester,
  request: IncomingRequest,
  server: Server,
  subject = "",
  changes: Readonly<Record<string, string | undefined>> = {},
): void {
  const call = new Call(
    requester,
    request.idText,
    request.method,
    subject,
    progressTokenOf(request),
  );
  requester.track(call);
  const textOf = (connection: Connection, input?: MoreInput): string =>
    requestTextFor(request, call.id, {
      ...changes,
      _meta: metaText(request, call.id, connection.era, requester.envelope),
      ...input,
    });
  const connection = requester.linked(server);
  if (connection !== undefined) dispatch(call, requester, server, connection, textOf);
  else
    void whenConnected(requester, server, call, async (late) => {
      if (!call.cancelled) dispatch(call, requester, server, late, textOf);
    });
}

function sendToolCall(
  call: Call,
  requester: Requester,
  server: Server,
  connection: Connection,
  request: IncomingRequest,
  tool: ListedTool,
  at: ArgumentsAt,
): void {
  const problem = tool.pinned && argumentsProblem(request, at, tool.pinned);
  if (problem !== undefined) {
    requester.failed(call, workbenchError("INVALID_PARAMETERS", { reason: problem }));
    return;
  }
  dispatch(call, requester, server, connection, (to, input) => {
    const meta = metaText(request, call.id, to.era, requester.envelope);
    let further = meta === undefined ? "" : `,"_meta":${meta}`;
    for (const [key, value] of Object.entries(input ?? {}))
      if (value !== undefined) further += `,"${key}":${value}`;
    return toolCallText(request, call.id, tool.nameJson, at, further, tool.pinned);
  });
}

/** The one place where calls of clients are handed to a server. */
function dispatch(
  call: Call,
  requester: Requester,
  server: Server,
  connection: Connection,
  textOf: (connection: Connection, input?: MoreInput) => string,
): void {
  const problem = connection.admit(call);
  if (problem !== undefined) {
    requester.failed(call, problem);
    return;
  }
  if (connection.era === "modern" && requester.era === "legacy")
    call.again = (input) => {
      const send = (to: Connection): void => {
        // The client may have given the call up while it was asked.
        if (call.cancelled) return;
        const refused = to.admit(call);
        if (refused === undefined) to.dispatch(call, textOf(to, input));
        else requester.failed(call, refused);
      };
      const linked = requester.linked(server);
      // The answer may have taken so long that the server was closed for want of work.
      if (linked === undefined)
        void whenConnected(requester, server, call, async (late) => send(late));
      else send(linked);
    };
  connection.dispatch(call, textOf(connection));
}

/** Connects the server for a call, which waits no longer for that than a call may take in all. */
async function whenConnected(
  requester: Requester,
  server: Server,
  call: Call,
  next: (connection: Connection) => Promise<void>,
): Promise<void> {
  const { limits, timeouts } = server.settings;
  if (server.expecting >= limits.concurrency + limits.queue) {
    const reason = `${server.expecting} wait for it to be connected`;
    requester.failed(call, busy(server.place, reason));
    return;
  }
  const latest = performance.now() + timeouts.totalMs;
  const late = setTimeout(() => {
    if (call.cancelled) return;
    call.cancelled = true;
    requester.failed(call, neverSent(call, server.place, timeouts.totalMs));
  }, timeouts.totalMs);
  server.expecting++;
  try {
    const connection = await requester.connect(server);
    clearTimeout(late);
    await next(connection);
    // The time it took to connect is part of the whole.
    call.totalDeadline = Math.min(call.totalDeadline, latest);
  } catch (error) {
    if (!call.cancelled) requester.failed(call, asWorkbenchError(error));
  } finally {
    clearTimeout(late);
    server.expecting--;
  }
}

/** Whatever was thrown, as something that can be told. */
export function asWorkbenchError(error: unknown): WorkbenchError {
  return isWorkbenchError(error) ? error : workbenchError("INTERNAL", { reason: reasonOf(error) });
}
