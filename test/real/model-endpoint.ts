/** Replaces the model of Claude Code on the loopback interface: it calls one tool, then ends its turn. */
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import type { Disposables } from "../support/disposables.ts";

export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
}

export interface ModelEndpoint {
  readonly url: string;
  /** What the client returned for the calls of the model. */
  readonly results: readonly ToolResult[];
}

interface Block {
  readonly type: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
}
interface Request {
  readonly model: string;
  readonly messages: readonly { readonly content: string | readonly Block[] }[];
  readonly tools?: readonly { readonly name: string }[];
}

/** `name` is the tool as the client names it. */
export async function startModelEndpoint(
  disposables: Disposables,
  name: string,
  input: object,
): Promise<ModelEndpoint> {
  const results: ToolResult[] = [];
  const server = createServer(async (request, response) => {
    const body = await readAll(request);
    if (!/^\/v1\/messages(?:\?|$)/.test(request.url ?? "")) return response.writeHead(404).end();
    const { model, messages, tools = [] } = JSON.parse(body) as Request;
    const content = messages.at(-1)?.content ?? [];
    const blocks = typeof content === "string" ? [] : content;
    const returned = blocks.filter(({ type }) => type === "tool_result");
    for (const { is_error: isError = false, content: result } of returned)
      results.push({ isError, text: JSON.stringify(result) });
    const calls = returned.length === 0 && tools.some((tool) => tool.name === name);
    return answer(response, model, calls ? { name, input } : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  disposables.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, results };
}

const USAGE = { input_tokens: 1, output_tokens: 1 };
const TEXT = { type: "text", text: "" };
const DONE = { type: "text_delta", text: "done" };

function answer(
  response: ServerResponse,
  model: string,
  call: { readonly name: string; readonly input: object } | undefined,
): void {
  const block = call ? { type: "tool_use", id: "toolu_1", name: call.name, input: {} } : TEXT;
  const delta = call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
    : DONE;
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [] };
  const end = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
  const events = [
    { type: "message_start", message: { ...message, usage: USAGE } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: end, usage: USAGE },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end(lines.join(""));
}
