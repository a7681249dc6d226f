import type { Call } from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
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
      // As the result of a tool, the error can be read by the agent.
      return { result: { content: [{ type: "text", text: outcome.error.text }], isError: true } };
    default:
      return undefined;
  }
}
