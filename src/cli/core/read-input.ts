import type { Readable } from "node:stream";

/** All of standard input as text; undefined if it is larger than `maxBytes`. */
export async function readInput(input: Readable, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}
