import type { Call } from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
import { RETRY_AFTER_KEY, retryAfterMsOf } from "../calls/rate-limited.ts";
import { NEEDS_AUTH_KEY, neededSignIn } from "../calls/sign-in-error.ts";
import type { WorkbenchError } from "../errors.ts";
import type { JsonObject, RpcError } from "../wire/messages.ts";

/** An outcome that is not a server's response, as JSON-RPC. */
export type OwnAnswer =
  | { readonly result: JsonObject | string; readonly error?: undefined }
  | { readonly error: RpcError };

/** The answer of the workbench itself; undefined if a server answered, or if none is expected. */
export function ownAnswer({ method }: Call, outcome: Outcome): OwnAnswer | undefined {
  switch (outcome.kind) {
    case "result":
      return { result: outcome.result };
    case "refusal":
      return { error: outcome.error };
    case "failure":
      if (method !== "tools/call") return { error: rpcErrorOf(outcome.error) };
      return { result: failedResult(outcome.error) };
    default:
      return undefined;
  }
}

function rpcErrorOf(error: WorkbenchError): RpcError {
  const retryAfterMs = retryAfterMsOf(error);
  const { rpcError } = error;
  return retryAfterMs === undefined ? rpcError : { ...rpcError, data: { retryAfterMs } };
}

/** As the result of a tool, an error can be read by the agent. */
function failedResult(error: WorkbenchError): JsonObject {
  const meta = metaOf(error);
  return {
    content: [{ type: "text", text: error.text }],
    isError: true,
    ...(meta !== undefined && { _meta: meta }),
  };
}

function metaOf(error: WorkbenchError): JsonObject | undefined {
  const needed = neededSignIn(error);
  if (needed !== undefined) return { [NEEDS_AUTH_KEY]: needed.meta };
  const retryAfterMs = retryAfterMsOf(error);
  return retryAfterMs === undefined ? undefined : { [RETRY_AFTER_KEY]: retryAfterMs };
}
