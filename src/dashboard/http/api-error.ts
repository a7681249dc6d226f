import { isWorkbenchError, reasonOf } from "../../errors.ts";
import type { ApiError } from "../contract.ts";

/** A request that cannot be answered, and the HTTP status for it. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** The status and the answer for an error of any kind. */
export function answerFor(error: unknown): { readonly status: number; readonly error: ApiError } {
  if (error instanceof RequestError) {
    const { status, code, message, hint } = error;
    return { status, error: { code, message, ...(hint !== undefined && { hint }) } };
  }
  return { status: statusOf(error), error: apiErrorOf(error) };
}

/** An error of the workbench or of a server, as the page shows it. */
export function apiErrorOf(error: unknown): ApiError {
  if (!isWorkbenchError(error)) return { code: "error", message: reasonOf(error) };
  const { message, hint } = error;
  return { code: codeOf(error.code), message, ...(hint !== undefined && { hint }) };
}

/** `TOOL_NOT_FOUND` → `tool-not-found`. */
function codeOf(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}

function statusOf(error: unknown): number {
  return isWorkbenchError(error) ? (USED_WRONGLY.get(error.code) ?? error.httpStatus) : 500;
}

/** Errors of commands have the status of a failed program. */
const USED_WRONGLY: ReadonlyMap<string, number> = new Map([
  ["USAGE", 400],
  ["CONFIG_INVALID", 422],
  ["FILE_CHANGED", 409],
]);
