import { RPC, reasonOf } from "../errors.ts";
import { inexactKey, shapeOf } from "../wire/exact-keys.ts";
import { parseWithinLimits } from "../wire/json-limits.ts";
import { memberText, membersOf } from "../wire/members.ts";
import { PARAMS } from "../wire/message-shape.ts";
import type { RpcError } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";

/**
 * Every response that asks for input, or has input requests that a client might take for that,
 * contains one of these, even if it is escaped.
 */
const TRACES = ["input_required", "inputRequests", String.raw`\u00`];
const RESULT = shapeOf(["resultType", "inputRequests", "requestState"]);
const REQUEST = shapeOf(["method", "params"], { params: PARAMS });

/** One request inside a result; the texts are JSON, unchanged. */
export interface InputRequest {
  readonly text: string;
  readonly method: string;
  readonly params: string;
}

/** A result in which a server asks for input. */
export interface InputResult {
  /** The whole result, as JSON. */
  readonly text: string;
  /** True if the call continues with the input; a task gets it by `tasks/update` instead. */
  readonly endsCall: boolean;
  /** The requests by the server's keys. Anything that is not a request is left out. */
  readonly requests: ReadonlyMap<string, InputRequest>;
}

/**
 * The input requests in a modern server's result, for a call or a task. An error if readers could
 * understand the result differently; undefined if it asks for nothing.
 */
export function inputResultIn(response: ServerResponse): InputResult | RpcError | undefined {
  if (response.isError || !TRACES.some((trace) => response.mentions(trace))) return undefined;
  const text = memberText(response.withId("0"), "result") ?? "{}";
  if (membersOf(text) === undefined) return undefined;
  const inexact = inexactKey(text, RESULT);
  if (inexact !== undefined) return unusable(inexact.reason);
  // A large response has not been parsed yet, so it may turn out not to be JSON.
  try {
    const endsCall = JSON.parse(memberText(text, "resultType") ?? "null") === "input_required";
    const asked = memberText(text, "inputRequests");
    if (!endsCall && asked === undefined) return undefined;
    parseWithinLimits(text);
    const requests = requestsIn(asked ?? "{}");
    return "code" in requests ? requests : { text, endsCall, requests };
  } catch (error) {
    return unusable(reasonOf(error));
  }
}

function requestsIn(asked: string): Map<string, InputRequest> | RpcError {
  const requests = new Map<string, InputRequest>();
  for (const [key, { start, end }] of membersOf(asked) ?? []) {
    const text = asked.slice(start, end);
    const inexact = inexactKey(text, REQUEST);
    if (inexact !== undefined) return unusable(inexact.reason);
    const method: unknown = JSON.parse(memberText(text, "method") ?? "null");
    const params = memberText(text, "params") ?? "{}";
    if (typeof method === "string" && params.startsWith("{"))
      requests.set(key, { text, method, params });
  }
  return requests;
}

function unusable(reason: string): RpcError {
  return { code: RPC.internal, message: `Invalid input request from the server: ${reason}` };
}
