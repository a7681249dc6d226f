import type { ServerResponse as HttpResponse } from "node:http";

import type { ApiFailure } from "../contract.ts";
import { answerFor } from "./api-error.ts";

/**
 * Scripts and styles come from this workbench only, nothing is ever interpreted as markup by a script (trusted
 * types), and no other page can show, open or read anything of the dashboard.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const SECURITY_HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "cache-control": "no-store",
} as const;

export type Headers = Readonly<Record<string, string>>;

/** Sets what every response of the dashboard has, also those of its event stream. */
export function setSecurityHeaders(response: HttpResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}

export function send(
  response: HttpResponse,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Headers = {},
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { "content-type": type, "content-length": bytes.length, ...headers });
  response.end(bytes);
}

export function sendJson(
  response: HttpResponse,
  status: number,
  value: unknown,
  headers?: Headers,
): void {
  send(response, status, "application/json", JSON.stringify(value), headers);
}

/** Answers with an error; a response that has begun is cut off instead. */
export function sendError(response: HttpResponse, error: unknown, headers?: Headers): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, error: shown } = answerFor(error);
  const failure: ApiFailure = { error: shown };
  // What is left of a body is not read.
  const closes = response.req.complete ? {} : { connection: "close" };
  sendJson(response, status, failure, { ...closes, ...headers });
}
