import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { errorText } from "../../wire/messages.ts";
import { deeperThan } from "./json-depth.ts";
import { refuse } from "./write.ts";

const DEEPEST = 128;
/** How long a client that sends too much is listened to, so that it gets to read the refusal. */
const LINGER_MS = 1000;

/** The message a client sent, parsed and as text. */
export interface Body {
  readonly message: unknown;
  readonly text: string;
}

/** Reads a JSON body and hands it on; what is wrong with it is answered here. */
export function readJson(
  request: IncomingMessage,
  response: HttpResponse,
  limit: number,
  next: (body: Body) => void,
): void {
  const problem = typeProblem(request);
  if (problem !== undefined) {
    refuse(response, problem);
    return;
  }
  if (Number(request.headers["content-length"]) > limit) {
    refuseRest(request, response, limit);
    return;
  }
  // Clients with a large body may wait for this before they send it.
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= limit) chunks.push(chunk);
    else if (!response.headersSent) {
      chunks.length = 0;
      refuseRest(request, response, limit);
    }
  });
  request.on("end", () => {
    if (bytes > limit) return;
    const body = parse(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    if ("code" in body) refuse(response, body);
    else next(body);
  });
}

function typeProblem({ headers }: IncomingMessage): WorkbenchError | undefined {
  const [type, ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const foreign = parameters.some((parameter) => /charset=(?!"?utf-8"?\s*$)/.test(parameter));
  if (type?.trim() !== "application/json" || foreign)
    return workbenchError("UNSUPPORTED_MEDIA_TYPE", {
      reason: "Content-Type has to be application/json in UTF-8",
    });
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    return workbenchError("UNSUPPORTED_MEDIA_TYPE", {
      reason: "compressed bodies are not accepted",
    });
  return undefined;
}

function parse(bytes: Buffer): Body | WorkbenchError {
  if (!isUtf8(bytes))
    return workbenchError("PARSE_ERROR", { reason: "the body is not valid UTF-8" });
  const text = bytes.toString("utf8");
  if (deeperThan(text, DEEPEST))
    return workbenchError("PARSE_ERROR", { reason: `the body is over ${DEEPEST} levels deep` });
  try {
    return { message: JSON.parse(text) as unknown, text };
  } catch {
    return workbenchError("PARSE_ERROR", { reason: "the body is not JSON" });
  }
}

/**
 * Refuses a body before it has arrived. Closing at once would make the system drop the refusal
 * together with what is still on its way, so the rest is read and thrown away for a moment.
 */
function refuseRest(request: IncomingMessage, response: HttpResponse, limit: number): void {
  const { httpStatus, rpcError } = workbenchError("BODY_TOO_LARGE", { limit });
  const body = Buffer.from(errorText("null", rpcError));
  response.writeHead(httpStatus, {
    "content-type": "application/json",
    "content-length": body.length,
    connection: "close",
  });
  response.write(body);
  const end = (): void => void response.end();
  const timer = setTimeout(end, LINGER_MS);
  response.once("close", () => clearTimeout(timer));
  request.once("end", end);
  request.resume();
}
