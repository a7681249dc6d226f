import type { Call } from "../relay/call.ts";
import { type IncomingRequest, type JsonObject, isObject } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import { Question } from "../relay/question.ts";

const MARK = '"input_required"';

/** What a modern server still wants to know, if that is what its answer says. */
export function inputRequired(response: ServerResponse): JsonObject | undefined {
  if (response.isError || !response.mentions(MARK)) return undefined;
  const result = resultOf(response);
  return isObject(result) && result["resultType"] === "input_required" ? result : undefined;
}

function resultOf(response: ServerResponse): unknown {
  try {
    return response.parse().result;
  } catch {
    // A large answer that is not JSON between its ends: its reader will find out.
    return undefined;
  }
}

/**
 * Asks a legacy client, one question after the other's shape but all at once, what a modern server
 * wants to know, and gives the call its answers. A question the client refuses is left out; the
 * server then sees that it was not answered.
 */
export async function collectInput(
  call: Call,
  wanted: JsonObject,
  ask: (question: Question, call: Call) => void,
): Promise<void> {
  const requests = isObject(wanted["inputRequests"]) ? wanted["inputRequests"] : {};
  const answers = await Promise.all(
    Object.entries(requests).map(
      async ([key, request]) => [key, await answerOf(request, call, ask)] as const,
    ),
  );
  const inputResponses = Object.fromEntries(answers.filter(([, answer]) => answer !== undefined));
  const { requestState } = wanted;
  call.again?.({ inputResponses, ...(requestState !== undefined && { requestState }) });
}

let nextElicitation = 1;

function answerOf(
  request: unknown,
  call: Call,
  ask: (question: Question, call: Call) => void,
): Promise<unknown> {
  if (!isObject(request) || typeof request["method"] !== "string")
    return Promise.resolve(undefined);
  const params = isObject(request["params"]) ? withElicitationId(request["params"]) : {};
  return new Promise((resolve) => {
    const from = {
      send: (message: string) => resolve((JSON.parse(message) as { result?: unknown }).result),
    };
    ask(new Question(incoming(request["method"] as string, params), from), call);
  });
}

/** Legacy clients know a URL elicitation by an id, which modern servers no longer give. */
function withElicitationId(params: JsonObject): JsonObject {
  if (params["mode"] !== "url" || params["elicitationId"] !== undefined) return params;
  return { ...params, elicitationId: `workbench-${nextElicitation++}` };
}

function incoming(method: string, params: JsonObject): IncomingRequest {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 0, method, params });
  return { id: 0, idText: "0", method, params, text };
}
