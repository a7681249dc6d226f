import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { type RpcError, errorText } from "../../wire/messages.ts";

export type Headers = Readonly<Record<string, string>>;
/** A message as text, or as the pieces it arrived in. */
export type Pieces = readonly (string | Buffer)[];

const JSON_TYPE = "application/json";
/** An answer above this size may not fit into the buffers of the connection. */
const LARGE_BYTES = 64 * 1024;
/** How long a client may take to read the next part of an answer. */
export const READ_MS = 60_000;
/** How much all clients together may leave unread. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;

/** Answers with one JSON message, without copying it. */
export function writeJson(
  response: HttpResponse,
  status: number,
  pieces: Pieces,
  headers?: Headers,
): void {
  let length = 0;
  for (const piece of pieces)
    length += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  response.writeHead(status, {
    "content-type": JSON_TYPE,
    "content-length": length,
    "cache-control": "no-store",
    ...headers,
  });
  writeLast(response, pieces, length);
}

/** Writes the end of a response; a client that stops reading is disconnected. */
export function writeLast(response: HttpResponse, pieces: Pieces, bytes: number): void {
  if (bytes > LARGE_BYTES) limitUnread(response, bytes);
  if (pieces.length === 1) {
    response.end(pieces[0]);
    return;
  }
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.uncork();
  response.end();
}

/** The large answers that are being read, oldest first. */
const unread = new Map<HttpResponse, number>();
let unreadBytes = 0;

/** Gives a client time to read; if too much is unread, the oldest answers are dropped. */
function limitUnread(response: HttpResponse, bytes: number): void {
  response.socket?.setTimeout(READ_MS);
  unread.set(response, bytes);
  unreadBytes += bytes;
  response.once("close", () => {
    unread.delete(response);
    unreadBytes -= bytes;
  });
  for (const oldest of unread.keys()) {
    if (unreadBytes <= MAX_UNREAD_BYTES || oldest === response) return;
    oldest.destroy();
  }
}

/** Answers with an error, in the form that MCP clients understand. */
export function writeError(
  response: HttpResponse,
  status: number,
  error: RpcError,
  idText = "null",
  headers?: Headers,
): void {
  writeJson(response, status, [errorText(idText, error)], headers);
}

/** Answers with an error of the workbench. */
export function refuse(
  response: HttpResponse,
  error: WorkbenchError,
  idText = "null",
  headers?: Headers,
): void {
  writeError(response, error.httpStatus, error.rpcError, idText, headers);
}

export function refuseMethod(
  request: IncomingMessage,
  response: HttpResponse,
  allow: string,
): void {
  const error = workbenchError("METHOD_NOT_ALLOWED", { method: request.method ?? "" });
  refuse(response, error, "null", { allow });
}

/** True for a request that only reads; any other is refused. */
export function isRead(request: IncomingMessage, response: HttpResponse): boolean {
  if (request.method === "GET" || request.method === "HEAD") return true;
  refuseMethod(request, response, "GET");
  return false;
}

/** Answers a request that reads something. */
export function answerRead(
  request: IncomingMessage,
  response: HttpResponse,
  content: () => unknown,
): void {
  if (isRead(request, response)) writeJson(response, 200, [JSON.stringify(content())]);
}
