import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";

import { type JsonObject, isObject, parseJson } from "../../text/json.ts";
import { excessOf } from "../../wire/json-limits.ts";
import { RequestError } from "./api-error.ts";

const MAX_BYTES = 1024 * 1024;

/** The JSON object in the body of a request. */
export interface Body {
  readonly value: JsonObject;
  /** As it was sent. */
  readonly text: string;
}

export async function readBody(request: IncomingMessage): Promise<Body> {
  const [type] = (request.headers["content-type"] ?? "").toLowerCase().split(";");
  // A form of another page cannot send this type.
  if (type?.trim() !== "application/json")
    throw new RequestError(415, "media-type", "Content-Type must be application/json");
  const bytes = await bytesOf(request);
  const text = isUtf8(bytes) ? bytes.toString("utf8") : "";
  const value = excessOf(text) === undefined ? parseJson(text) : undefined;
  if (!isObject(value)) throw invalid("The body is not a JSON object");
  return { value, text };
}

function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const tooLarge = (): void =>
      reject(new RequestError(413, "too-large", `The body is larger than ${MAX_BYTES} bytes`));
    if (Number(request.headers["content-length"]) > MAX_BYTES) {
      tooLarge();
      return;
    }
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) chunks.push(chunk);
      else tooLarge();
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("close", () => reject(invalid("The body is incomplete")));
  });
}

/** A text in a body. */
export function textIn({ value: body }: Body, key: string): string {
  const value = body[key];
  if (typeof value === "string") return value;
  throw invalid(`'${key}' must be a text`);
}

/** A list of texts in a body; empty if it is missing. */
export function textsIn({ value: body }: Body, key: string): readonly string[] {
  const value = body[key] ?? [];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw invalid(`'${key}' must be a list of texts`);
}

export function invalid(message: string): RequestError {
  return new RequestError(400, "invalid", message);
}
