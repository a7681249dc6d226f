import type { IncomingMessage } from "node:http";

const MAX_BYTES = 4096;

/** The body of a request; undefined if it is too large or ends early. */
export async function readSmallBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_BYTES) return undefined;
      chunks.push(chunk as Buffer);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** The fields of a form that a browser sends; undefined if it is too large or ends early. */
export async function readSmallForm(
  request: IncomingMessage,
): Promise<URLSearchParams | undefined> {
  const body = await readSmallBody(request);
  return body && new URLSearchParams(body.toString("utf8"));
}
