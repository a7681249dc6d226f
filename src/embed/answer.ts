import { inexactError } from "../calls/call-errors.ts";
import type { ServerRef } from "../calls/identifier.ts";
import { reasonOf } from "../errors.ts";
import { ServerRpcError } from "../servers/requests/ask.ts";
import { excessOf } from "../wire/json-limits.ts";
import { memberText } from "../wire/members.ts";
import type { IncomingResponse, JsonObject } from "../wire/messages.ts";

/** The answer to a request: the text of its result, as the server wrote it. */
export interface Answer {
  readonly text: string;
  readonly result: JsonObject;
}

/** Throws what is wrong with an answer of the server that cannot be used. */
export function answerOf(message: string, server: ServerRef | undefined): Answer {
  const { result, error } = parsed(message, server);
  if (error !== undefined) throw new ServerRpcError(error);
  const text = memberText(message, "result") ?? JSON.stringify(result);
  return { text, result: result as JsonObject };
}

/**
 * A large answer reaches other clients without being parsed, so here it may turn out not to be JSON.
 * A value that is too deep could not be written again. It may have any number of members.
 */
function parsed(message: string, server: ServerRef | undefined): IncomingResponse {
  if (server === undefined) return JSON.parse(message) as IncomingResponse;
  const excess = excessOf(message, Infinity);
  if (excess !== undefined) throw inexactError(server, excess);
  try {
    return JSON.parse(message) as IncomingResponse;
  } catch (error) {
    throw inexactError(server, `it is not JSON: ${reasonOf(error)}`);
  }
}
