import type { IncomingMessage } from "node:http";

import { OAuthFailure } from "./failure.ts";

const MAX_BODY_BYTES = 256 * 1024;

/** `application/json`, or a type that is written as JSON, such as `application/problem+json`. */
const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
/** With what JSON is sent, too: by hosts of files without an extension, and by old frameworks. */
const MAYBE_JSON =
  /^\s*(?:(?:text\/(?:plain|json|javascript)|(?:application|binary)\/octet-stream)\s*(?:;|$)|$)/i;

/**
 * Reads the body of a response if it may be JSON; pages for people are not read. If it is stated to be
 * JSON, rejects if it is larger than the limit, compressed, or cut off.
 */
export async function readBody(
  message: IncomingMessage,
  host: string,
  maxBytes = MAX_BODY_BYTES,
): Promise<string> {
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = message.headers;
  const isJson = JSON_TYPE.test(type);
  const unread = (problem: string): string => {
    message.destroy();
    if (!isJson) return "";
    throw new OAuthFailure("metadata", `The answer of ${host} ${problem}`);
  };
  if (!isJson && !MAYBE_JSON.test(type)) return unread("is not JSON");
  if (encoding !== "identity") return unread("is compressed, although that was not asked for");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return unread(`is larger than ${maxBytes / 1024} KB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
