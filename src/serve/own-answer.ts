import type { Call } from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
import { NEEDS_AUTH_KEY, neededSignIn, needsAuthMeta } from "../calls/sign-in-error.ts";
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
      if (method !== "tools/call") return { error: outcome.error.rpcError };
      return { result: failedResult(outcome.error) };
    default:
      return undefined;
  }
}

/** As the result of a tool, an error can be read by the agent. */
function failedResult(error: WorkbenchError): JsonObject {
  const needed = neededSignIn(error);
  return {
    content: [{ type: "text", text: error.text }],
    isError: true,
    ...(needed !== undefined && { _meta: { [NEEDS_AUTH_KEY]: needsAuthMeta(needed) } }),
  };
}
