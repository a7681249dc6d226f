import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../errors.ts";
import type { JsonObject, RpcError } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";

/** A tool of the workbench reports an error, or did not end in time. */
export type ToolFailure = "tool_error" | "timeout";

/** How a call ended. */
export type Outcome =
  /** The server's response, unchanged. */
  | { readonly kind: "response"; readonly response: ServerResponse }
  /**
   * A result of the workbench, or of a step that replaces the server's; JSON text if it is a
   * string, and then `failed` states why it has `isError`.
   */
  | { readonly kind: "result"; readonly result: JsonObject | string; readonly failed?: ToolFailure }
  /** A failure that the agent can read: a tool call gets it as its result. */
  | { readonly kind: "failure"; readonly error: WorkbenchError }
  /** A JSON-RPC error. */
  | { readonly kind: "refusal"; readonly error: RpcError }
  /** The client cancelled the call and gets no answer. */
  | { readonly kind: "cancelled"; readonly reason: unknown };

export function result(value: JsonObject | string): Outcome {
  return { kind: "result", result: value };
}

/** A result with `isError`, as JSON text. */
export function failedResult(text: string, failed: ToolFailure): Outcome {
  return { kind: "result", result: text, failed };
}

export function textResult(text: string): Outcome {
  return result({ content: [{ type: "text", text }] });
}

export function refusal(code: number, message: string): Outcome {
  return { kind: "refusal", error: { code, message } };
}

/** Converts any error into an outcome. */
export function failure(error: unknown): Outcome {
  return {
    kind: "failure",
    error: isWorkbenchError(error)
      ? error
      : workbenchError("INTERNAL", { reason: reasonOf(error) }),
  };
}
