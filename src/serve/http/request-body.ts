import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { idOfExcessive } from "../../wire/excessive-id.ts";
import { excessOf } from "../../wire/json-limits.ts";
import { errorText } from "../../wire/messages.ts";
import { type PlainCall, readPlainCall } from "../../wire/plain-messages.ts";
import { BodyLoad } from "./body-load.ts";
import { refuse } from "./http-responses.ts";

/** The rest of an oversized body is read, so that the client can read the error: while it arrives, and not for ever. */
const LINGER_CHECK_MS = 500;
const MAX_SILENT_CHECKS = 2;
const MAX_LINGER_CHECKS = 20;
const RETRY_SECONDS = "1";
const JSON_TYPE = "application/json";
/** A plain call of this length exceeds no limit on JSON that has to be parsed; longer ones are checked. */
const MAX_PLAIN_CHARS = 16 * 1024;

/** The message a client sent, parsed and as text. */
export interface Body {
  readonly message: unknown;
  readonly text: string;
  /** Set if it is a plain call, as nearly every message is; then `message` is parsed when it is read. */
  readonly plain?: PlainCall;
}

class PlainBody implements Body {
  readonly plain: PlainCall;

  constructor(plain: PlainCall) {
    this.plain = plain;
  }

  get text(): string {
    return this.plain.text;
  }

  get message(): unknown {
    return JSON.parse(this.plain.text);
  }
}

/** Parses a body and passes it on; answers with an error if it is not valid. */
export function parseBody(bytes: Buffer, response: HttpResponse, next: (body: Body) => void): void {
  const body = parse(bytes);
  if ("problem" in body) refuse(response, body.problem, body.idText);
  else next(body);
}

/** Reads the bodies of requests, all of which share the memory for them. */
export class RequestBodies {
  readonly #load = new BodyLoad();
  readonly #limit: () => number;

  /** @param limit the largest body, in bytes */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Passes the bytes of a JSON body on; answers with an error if that is not possible. */
  read(request: IncomingMessage, response: HttpResponse, next: (bytes: Buffer) => void): void {
    readBody(request, response, this.#limit(), this.#load, next);
  }

  /** The same; undefined if the client got an error, or is gone. */
  bytesOf(request: IncomingMessage, response: HttpResponse): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      response.once("close", () => resolve(undefined));
      this.read(request, response, resolve);
    });
  }
}

function readBody(
  request: IncomingMessage,
  response: HttpResponse,
  limit: number,
  load: BodyLoad,
  next: (bytes: Buffer) => void,
): void {
  const problem = typeProblem(request);
  if (problem !== undefined) {
    refuse(response, problem);
    return;
  }
  if (Number(request.headers["content-length"]) > limit) {
    refuseRest(request, response, workbenchError("BODY_TOO_LARGE", { limit }));
    return;
  }
  const share = load.enter();
  response.on("close", () => share.done());
  // Clients with a large body may wait for this before they send it.
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refused = false;
  request.on("data", (chunk: Buffer) => {
    if (refused) return;
    bytes += chunk.length;
    const problem = sizeProblem(bytes, limit, share.add(chunk.length, limit));
    if (problem === undefined) chunks.push(chunk);
    else {
      refused = true;
      chunks.length = 0;
      share.done();
      refuseRest(request, response, problem);
    }
  });
  request.on("end", () => {
    if (refused) return;
    load.take(bytes, request.socket, () => {
      // The client may have disconnected while the body waited for its turn.
      if (response.destroyed) return;
      next(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
  });
}

function sizeProblem(bytes: number, limit: number, hasRoom: boolean): WorkbenchError | undefined {
  if (bytes > limit) return workbenchError("BODY_TOO_LARGE", { limit });
  if (hasRoom) return undefined;
  const reason = "Too many large bodies are being handled at once";
  return workbenchError("TOO_MANY_BODIES", { reason }, "Try again later");
}

function typeProblem({ headers }: IncomingMessage): WorkbenchError | undefined {
  const given = headers["content-type"] ?? "";
  if (given !== JSON_TYPE && !isJsonType(given))
    return workbenchError("UNSUPPORTED_MEDIA_TYPE", {
      reason: "Content-Type must be application/json in UTF-8",
    });
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    return workbenchError("UNSUPPORTED_MEDIA_TYPE", {
      reason: "compressed bodies are not accepted",
    });
  return undefined;
}

function isJsonType(given: string): boolean {
  const [type, ...parameters] = given.toLowerCase().split(";");
  const foreign = parameters.some((parameter) => /charset=(?!"?utf-8"?\s*$)/.test(parameter));
  return type?.trim() === JSON_TYPE && !foreign;
}

interface Refused {
  readonly problem: WorkbenchError;
  /** The request id for the error. */
  readonly idText: string;
}

function parse(bytes: Buffer): Body | Refused {
  if (!isUtf8(bytes)) return unreadable("the body is not valid UTF-8");
  const text = bytes.toString("utf8");
  const plain = text.length > MAX_PLAIN_CHARS ? undefined : readPlainCall(text);
  if (plain !== undefined) return new PlainBody(plain);
  const excess = excessOf(text);
  const idText = excess === undefined ? undefined : idOfExcessive(text);
  if (idText !== undefined) return unreadable(`the body is too complex: ${excess}`, idText);
  try {
    return { message: JSON.parse(text) as unknown, text };
  } catch {
    return unreadable("the body is not JSON");
  }
}

function unreadable(reason: string, idText = "null"): Refused {
  return { problem: workbenchError("PARSE_ERROR", { reason }), idText };
}

/**
 * Refuses a body before it has arrived. Closing the connection immediately would make the system drop
 * the error as well, so the rest is read and discarded for a moment.
 */
function refuseRest(
  request: IncomingMessage,
  response: HttpResponse,
  { httpStatus, rpcError }: WorkbenchError,
): void {
  const body = Buffer.from(errorText("null", rpcError));
  response.writeHead(httpStatus, {
    "content-type": "application/json",
    "content-length": body.length,
    connection: "close",
    ...(httpStatus === 503 && { "retry-after": RETRY_SECONDS }),
  });
  response.write(body);
  const end = (): void => void response.end();
  let checks = 0;
  let silentChecks = 0;
  // Several checks: on a busy machine, what has arrived may not be read before the first one.
  const timer = setInterval(() => {
    if (++silentChecks >= MAX_SILENT_CHECKS || ++checks >= MAX_LINGER_CHECKS) end();
  }, LINGER_CHECK_MS);
  response.once("close", () => clearInterval(timer));
  request.once("end", end);
  request.on("data", () => (silentChecks = 0));
}
