import { recordedOutcome } from "../audit/recorded-outcome.ts";
import type { AuditOutcome } from "../audit/audit-outcomes.ts";
import type { ClientCall } from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
import { isObject } from "../text/json.ts";

/** How a call ended, as metrics and spans state it. */
export interface Ended {
  readonly outcome: AuditOutcome;
  /** `error.type`; undefined if it did not fail. */
  readonly errorType: string | undefined;
  /** The JSON-RPC code of an error. */
  readonly rpcCode: string | undefined;
  /** The size of the answer. */
  readonly bytes: number;
}

export function endedOf(call: ClientCall, outcome: Outcome): Ended {
  const { outcome: ended, code, bytesOut = 0 } = recordedOutcome(call, outcome);
  const isRpcError =
    outcome.kind === "refusal" || (outcome.kind === "response" && outcome.response.isError);
  return {
    outcome: ended,
    errorType: ended === "ok" ? undefined : errorTypeOf(ended, code),
    rpcCode: isRpcError ? code : undefined,
    bytes: bytesOut,
  };
}

/** The code of the error, unless the convention has a name for it. */
function errorTypeOf(outcome: AuditOutcome, code: string | undefined): string {
  if (outcome === "tool_error" || outcome === "cancelled" || outcome === "timeout") return outcome;
  return code ?? outcome;
}

/** The message of an error; it may contain anything. */
export function errorMessageOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case "failure":
      return outcome.error.message;
    case "refusal":
      return outcome.error.message;
    case "response": {
      if (!outcome.response.isError) return "";
      const { error } = outcome.response.parse();
      return isObject(error) && typeof error["message"] === "string" ? error["message"] : "";
    }
    default:
      return "";
  }
}
