import { timeLimit } from "../../calls/time-limit.ts";
import type { RemoteTransport } from "../../config/types.ts";
import { VERSION } from "../../version.ts";

/** What a server says to a request without a token. */
export interface ProbeResult {
  readonly status: number;
  /** All its `WWW-Authenticate` headers. */
  readonly challenge: string | undefined;
}

const PROBE_MS = 10_000;
const NOT_FOR_POST = new Set([400, 404, 405, 406, 415]);

/**
 * Sends a server the beginning of a session, to read its challenge. The session is not used:
 * servers that need a token refuse it, and others forget it.
 */
export async function probe(
  { kind, url, headers }: Pick<RemoteTransport, "kind" | "url" | "headers">,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const limit = timeLimit(signal, PROBE_MS);
  const send = async (init: RequestInit): Promise<ProbeResult> => {
    const response = await fetch(url, { ...init, redirect: "manual", signal: limit.signal });
    await response.body?.cancel();
    const challenge = response.headers.get("www-authenticate") ?? undefined;
    return { status: response.status, challenge };
  };
  const stream = { method: "GET", headers: { ...headers, accept: "text/event-stream" } };
  try {
    if (kind === "sse") return await send(stream);
    const answer = await send({
      method: "POST",
      headers: {
        ...headers,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify(INITIALIZE),
    });
    return NOT_FOR_POST.has(answer.status) ? await send(stream) : answer;
  } finally {
    limit.end();
  }
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "mcp-workbench", version: VERSION },
  },
};
