import { RPC } from "../../errors.ts";
import type { Call } from "../../calls/call.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import type { Connection } from "./connection.ts";

/** The maximum number of open requests to one client: no user or model can answer more at once. */
const MAX_OPEN = 100;
const MAX_OPEN_CHARS = 32 * 1024 * 1024;

/**
 * Forwards a server's request to the client whose call caused it, never to another. A separate
 * stream identifies the call. Otherwise the client is known if only one caller has calls in flight,
 * or if nothing is in flight and only one client uses the connection.
 */
export function routeServerRequest(
  question: ServerRequest,
  connection: Connection,
  about: Call | undefined,
): void {
  if (connection.questions.size >= MAX_OPEN || charsOf(connection.questions) > MAX_OPEN_CHARS) {
    const message = "Too many requests of this server are waiting for an answer";
    question.refuse({ code: RPC.internal, message });
    return;
  }
  const callers = new Map<object, Call>();
  for (const call of about ? [about] : connection.inFlight())
    if (call.origin === "client") callers.set(call.caller.client ?? call.caller, call);
  const [only] = callers.values();
  if (only !== undefined && callers.size === 1) {
    keepOpen(question, connection, only);
    only.caller.onServerRequest(question, only);
    return;
  }
  const [client] = connection.clients;
  if (callers.size === 0 && client !== undefined && connection.clients.size === 1) {
    keepOpen(question, connection);
    client.onServerRequest(question, undefined);
    return;
  }
  question.refuse({
    code: RPC.internal,
    message:
      callers.size === 0
        ? `No client of the workbench can answer ${question.method} now`
        : `Several clients use this server at once and ${question.method} cannot be attributed to one of them. Set "isolation": "session" for server '${connection.place.server}' in toolbox '${connection.place.toolbox}' to give each client its own process`,
  });
}

function charsOf(questions: Iterable<ServerRequest>): number {
  let chars = 0;
  for (const { request } of questions) chars += request.text.length;
  return chars;
}

/** While the server waits for the client, the time limit of the call is paused. */
function keepOpen(question: ServerRequest, connection: Connection, call?: Call): void {
  connection.questions.add(question);
  if (call !== undefined) connection.pause(call);
  question.settled = () => {
    connection.questions.delete(question);
    if (call !== undefined) connection.proceed(call);
  };
}
