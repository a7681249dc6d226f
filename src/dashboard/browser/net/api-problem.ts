import { asText, isObject } from "../../../text/json.ts";

/** Why a request failed, for people. */
export class ApiProblem extends Error {
  /** Of the HTTP response; zero if there was none. */
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor(status: number, code: string, message: string, hint: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** The problem that a failed response describes. It may come from a proxy, so it may be anything. */
export function problemOf(status: number, body: unknown): ApiProblem {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : {};
  const message = asText(error["message"]) || `The workbench answered with status ${status}.`;
  return new ApiProblem(status, asText(error["code"]), message, asText(error["hint"]));
}

/** The problem of a request without a response. */
export function unreachable(): ApiProblem {
  const hint = "Check that it is still running, then try again.";
  return new ApiProblem(0, "unreachable", "The workbench does not answer.", hint);
}

/** What a caught value says. */
export function asProblem(caught: unknown): ApiProblem {
  if (caught instanceof ApiProblem) return caught;
  return new ApiProblem(0, "failed", caught instanceof Error ? caught.message : String(caught), "");
}

/** Whether a request was given up because its answer is no longer needed. */
export function isAborted(caught: unknown): boolean {
  return caught instanceof DOMException && caught.name === "AbortError";
}
