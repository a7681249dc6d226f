import { workbenchError } from "../errors.ts";
import { excessOf } from "../wire/json-limits.ts";
import { type IncomingRequest, classifyStrict } from "../wire/messages.ts";
import type { Resolved } from "./jobs.ts";

const EXPIRED = "Stored results expire; call the tool again";

/**
 * Reads a request whose references have been resolved. It passes the same checks as one that a client
 * sends. Throws if a reference is wrong.
 */
export function resolvedRequest(request: IncomingRequest, resolved: Resolved): IncomingRequest {
  if (typeof resolved !== "string") {
    const { missing, reason } = resolved;
    if (missing !== undefined) throw workbenchError("RESULT_NOT_FOUND", { id: missing }, EXPIRED);
    throw workbenchError("INVALID_PARAMETERS", { reason });
  }
  if (resolved === request.text) return request;
  const excess = excessOf(resolved);
  if (excess !== undefined) {
    const reason = `with its stored results, the request is too complex: ${excess}`;
    throw workbenchError("INVALID_PARAMETERS", { reason });
  }
  const incoming = classifyStrict(JSON.parse(resolved), resolved);
  if (incoming.kind === "request") return incoming.request;
  const reason = incoming.kind === "invalid" ? incoming.reason : "it is not a request";
  throw workbenchError("INVALID_PARAMETERS", { reason });
}
