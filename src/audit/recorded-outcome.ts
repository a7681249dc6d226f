import type { ClientCall } from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
import type { WorkbenchError } from "../errors.ts";
import { isObject } from "../text/json.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { AuditOutcome } from "./audit-outcomes.ts";

/** How a call ended, as the log states it. */
export interface RecordedOutcome {
  readonly outcome: AuditOutcome;
  /** The error: a code of the workbench, or the JSON-RPC code of a server. */
  readonly code?: string | undefined;
  readonly bytesOut?: number | undefined;
}

export function recordedOutcome(call: ClientCall, outcome: Outcome): RecordedOutcome {
  if (outcome.kind === "cancelled") return { outcome: "cancelled" };
  const wasDenied = call.decision?.action === "deny";
  switch (outcome.kind) {
    case "response":
      return ofResponse(call, outcome.response);
    case "result": {
      const text =
        typeof outcome.result === "string" ? outcome.result : JSON.stringify(outcome.result);
      const isError = typeof outcome.result !== "string" && outcome.result["isError"] === true;
      const failed = outcome.failed ?? (isError ? "tool_error" : "ok");
      const ended = wasDenied ? "denied" : failed;
      return { outcome: ended, bytesOut: Buffer.byteLength(text) };
    }
    case "refusal":
      return { outcome: wasDenied ? "denied" : "error", code: String(outcome.error.code) };
    case "failure":
      return { outcome: wasDenied ? "denied" : ofError(outcome.error), code: outcome.error.code };
  }
}

/** The HTTP statuses of errors with which the workbench refuses a call on purpose. */
const DENIED: ReadonlySet<number> = new Set([403, 429]);
const TIMEOUT = 504;

function ofError(error: WorkbenchError): AuditOutcome {
  if (DENIED.has(error.httpStatus) || error.code === "AUDIT_UNAVAILABLE") return "denied";
  return error.httpStatus === TIMEOUT ? "timeout" : "error";
}

function ofResponse({ method }: ClientCall, response: ServerResponse): RecordedOutcome {
  const bytesOut = response.bytes;
  if (response.isError) {
    const { errorCode: code } = response;
    return { outcome: "error", code: code === undefined ? undefined : String(code), bytesOut };
  }
  const failed = method === "tools/call" && hasToolFailed(response);
  return { outcome: failed ? "tool_error" : "ok", bytesOut };
}

const DENIALS = ['"isError":false', '"isError": false'];
const ADMISSIONS = ['"isError":true', '"isError": true'];

/** Only results that mention the key are parsed, unless they say that the tool succeeded, as many do. */
function hasToolFailed(response: ServerResponse): boolean {
  if (!response.mentions('"isError"')) return false;
  const mentionsOne = (texts: readonly string[]): boolean =>
    texts.some((text) => response.mentions(text));
  if (mentionsOne(DENIALS) && !mentionsOne(ADMISSIONS)) return false;
  try {
    const { result } = response.parse();
    return isObject(result) && result["isError"] === true;
  } catch {
    return response.isFailure;
  }
}
