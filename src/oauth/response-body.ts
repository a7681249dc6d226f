import type { IncomingMessage } from "node:http";

import { OAuthFailure } from "./failure.ts";

const MAX_BYTES = 256 * 1024;

/**
 * Reads the body of a response if it is JSON; other bodies are not read. Rejects if it is larger than
 * the limit, compressed, or cut off.
 */
export async function readBody(message: IncomingMessage, host: string): Promise<string> {
  const { "content-type": type, "content-encoding": encoding = "identity" } = message.headers;
  if (!isJson(type)) {
    message.destroy();
    return "";
  }
  const refuse = (problem: string): OAuthFailure => {
    message.destroy();
    return new OAuthFailure("metadata", `The answer of ${host} ${problem}`);
  };
  if (encoding !== "identity") throw refuse("is compressed, although that was not asked for");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw refuse(`is larger than ${MAX_BYTES / 1024} KB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** `application/json`, or a type that is written as JSON, such as `application/problem+json`. */
function isJson(type: string | undefined): boolean {
  return /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type ?? "");
}
