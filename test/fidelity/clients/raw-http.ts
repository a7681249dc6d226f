/** Streamable HTTP by hand: one POST per message, answers as JSON or as events. */
import type { Endpoint } from "./client.ts";
import type { RawLink, Routing } from "./raw-link.ts";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";

export function openHttpLink({ url, headers }: Extract<Endpoint, { transport: "http" }>): RawLink {
  const ended = new AbortController();
  let session: string | undefined;
  let greeted = false;
  const sessionHeaders = (): Record<string, string> => ({
    ...(session !== undefined && { "mcp-session-id": session }),
    ...(greeted && { "mcp-protocol-version": LEGACY }),
  });
  const link: RawLink = {
    send: (message, routing) => void post(message, routing),
    receive: () => {},
    initialized: () => {
      greeted = true;
      void listen();
    },
    close: async () => {
      if (session !== undefined)
        await fetch(url, { method: "DELETE", headers: { ...headers, ...sessionHeaders() } });
      ended.abort();
    },
  };

  async function post(message: string, routing: Routing): Promise<void> {
    const signals = [ended.signal, ...(routing.hangUp ? [routing.hangUp] : [])];
    try {
      const response = await fetch(url, {
        method: "POST",
        body: message,
        signal: AbortSignal.any(signals),
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(routing.modern ? modernHeaders(routing) : sessionHeaders()),
        },
      });
      session ??= response.headers.get("mcp-session-id") ?? undefined;
      await read(response);
    } catch (error) {
      if (!signals.some(({ aborted }) => aborted)) throw error;
    }
  }

  /** Opens the stream on which a legacy client is told what it did not ask for. */
  async function listen(): Promise<void> {
    try {
      const accept = { accept: "text/event-stream" };
      const signal = ended.signal;
      await read(
        await fetch(url, { headers: { ...headers, ...accept, ...sessionHeaders() }, signal }),
      );
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    }
  }

  async function read(response: Response): Promise<void> {
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream"))
      await readEvents(response, (data) => link.receive(data));
    else {
      const text = await response.text();
      if (type.startsWith("application/json")) link.receive(text);
    }
  }
  return link;
}

function modernHeaders({ method, name, version = MODERN }: Routing): Record<string, string> {
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
}

async function readEvents(response: Response, event: (data: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const events = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const text of events) {
      const data = text.split("\n").filter((line) => line.startsWith("data:"));
      if (data.length > 0) event(data.map((line) => line.slice(5).replace(/^ /, "")).join("\n"));
    }
  }
}
