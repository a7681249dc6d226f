import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

import { type Peer, type PeerClient, SILENT_MS } from "./peer-client.ts";

export interface Fetched {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly content: Buffer;
}

/** Reads something from a replica; undefined if it does not answer, or with too much. */
export function fetchFrom(
  peers: PeerClient,
  peer: Peer,
  path: string,
  maxBytes: number,
): Promise<Fetched | undefined> {
  return new Promise((resolve) => {
    const asked = peers.request(peer, { path, sessionId: "", method: "GET" });
    const fail = (): void => {
      resolve(undefined);
      asked.destroy();
    };
    asked.setTimeout(SILENT_MS, fail);
    asked.on("error", fail);
    asked.on("response", (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) fail();
        else chunks.push(chunk);
      });
      response.on("error", fail);
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, content: Buffer.concat(chunks) });
      });
    });
    asked.end();
  });
}
