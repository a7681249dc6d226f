import { type IncomingMessage, type ServerResponse, maxHeaderSize } from "node:http";

import type { ClusterLink } from "../../cluster/cluster-link.ts";

/** Marks a request of one replica to another. Without a valid signature it means nothing. */
export const REPLICA_HEADER = "mcp-workbench-replica";
/** Marks the answer of a replica that does not own the session, or is not the one that was meant. */
export const MOVED_HEADER = "mcp-workbench-moved";
export const MOVED = "1";
/** Another replica has the address by now. */
export const NOT_HERE = "not here";

const PURPOSE = "request";
/** By the time of Redis, which is not exact. */
const MAX_AGE_MS = 600_000;

export interface SignedRequest {
  readonly method: string;
  /** The target, with its query. */
  readonly path: string;
  readonly sessionId: string;
  /** The replica that gets it. */
  readonly to: string;
}

export function signRequest(link: ClusterLink, request: SignedRequest): string {
  const at = String(Math.round(link.now));
  const signature = link.sign(textOf(request, link.replica, at), PURPOSE);
  return [link.replica, request.to, at, signature].join(".");
}

export interface ReplicaRequest {
  readonly from: string;
  /** Whether it is for this replica, and not for one that had its address before. */
  readonly isForThis: boolean;
  /** How long ago it was signed. */
  readonly ageMs: number;
  /** Whether it is too old to be believed. */
  readonly isOutdated: boolean;
}

/** The replica that has sent a request; undefined if none has. */
export function replicaRequest(
  link: ClusterLink,
  { method = "", url = "", headers }: IncomingMessage,
): ReplicaRequest | undefined {
  const [from, to, at, signature, ...rest] = String(headers[REPLICA_HEADER] ?? "").split(".");
  if (from === undefined || to === undefined || at === undefined) return undefined;
  if (signature === undefined || rest.length > 0) return undefined;
  const sessionId = String(headers["mcp-session-id"] ?? "");
  const signed = { method, path: url, sessionId, to };
  if (!link.verify(signature, textOf(signed, from, at), PURPOSE)) return undefined;
  const ageMs = link.now - Number(at);
  return {
    from,
    isForThis: to === link.replica,
    ageMs,
    isOutdated: !(Math.abs(ageMs) <= MAX_AGE_MS),
  };
}

/** Whether the head of a request is longer than Node.js permits, and only accepted because replicas add to it. */
export function isTooLong({ url = "", rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.reduce((sum, { length }) => sum + length, url.length) >= maxHeaderSize;
}

export function answerMoved(
  request: IncomingMessage,
  response: ServerResponse,
  why: typeof MOVED | typeof NOT_HERE,
): void {
  request.resume();
  response.writeHead(421, { [MOVED_HEADER]: why, "content-length": 0 }).end();
}

function textOf({ method, path, sessionId, to }: SignedRequest, from: string, at: string): string {
  return JSON.stringify([method, path, sessionId, from, to, at]);
}
