/** The MCP server behind the check of tokens, with the official SDKs. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import type { IssuedToken } from "./token-record.ts";

export interface Served {
  /** Paths that it answers beside its own. */
  readonly paths: readonly string[];
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | undefined,
    token: IssuedToken | undefined,
  ): Promise<void>;
}

const INFO = { name: "protected", version: "1.0.0" };
const MESSAGES = "/messages";

/** Who sent the request that is being handled. */
const sender = new AsyncLocalStorage<IssuedToken | undefined>();

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

type Executed = (id: string) => void;

/** `count` and `write` record their `id`; `whoami` returns the account that the token is from. */
const TOOLS = {
  count: { description: "Counts a call", takesId: true },
  write: { description: "Counts a call that needs a further permission", takesId: true },
  whoami: { description: "Returns the name of the account", takesId: false },
} as const;

function run(name: string, id: string | undefined, onExecuted: Executed) {
  if (id !== undefined) onExecuted(id);
  return text(name === "whoami" ? (sender.getStore()?.account ?? "unknown") : `${name} ${id}`);
}

/** What only one account can see: a tool, a resource and instructions. */
function describePersonal(server: McpServer): void {
  const account = sender.getStore()?.account;
  if (account === undefined) return;
  server.registerTool(
    `notes_of_${account}`,
    { description: `Reads the diary of ${account}`, inputSchema: z.object({}) },
    async () => text(`diary of ${account}`),
  );
  const uri = `notes://${account}/diary`;
  server.registerResource(`diary of ${account}`, uri, {}, async () => ({
    contents: [{ uri, text: `diary of ${account}` }],
  }));
}

const personalInstructions = (isPersonal: boolean): { instructions?: string } =>
  isPersonal ? { instructions: `You work for ${sender.getStore()?.account ?? "nobody"}` } : {};

function serverV2(onExecuted: Executed, isPersonal: boolean): McpServer {
  const server = new McpServer(INFO, personalInstructions(isPersonal));
  if (isPersonal) describePersonal(server);
  for (const [name, { description, takesId }] of Object.entries(TOOLS)) {
    const inputSchema = takesId ? z.object({ id: z.string() }) : z.object({});
    server.registerTool(name, { description, inputSchema }, async (args) =>
      run(name, (args as { id?: string }).id, onExecuted),
    );
  }
  return server;
}

function serverV1(onExecuted: Executed): McpServerV1 {
  const server = new McpServerV1(INFO);
  for (const [name, { description, takesId }] of Object.entries(TOOLS)) {
    const inputSchema = takesId ? { id: z.string() } : {};
    server.registerTool(
      name,
      { description, inputSchema } as { description: string },
      (async (args: { id?: string }) => run(name, args.id, onExecuted)) as never,
    );
  }
  return server;
}

/** Both eras if none is given. */
export function mcpHandler(
  era: "legacy" | "modern" | "sse" | undefined,
  onExecuted: Executed,
  isPersonal = false,
): Served {
  if (era === "sse") return olderTransport(onExecuted);
  if (era === "legacy") return legacy(onExecuted);
  const handler = createMcpHandler(
    () => serverV2(onExecuted, isPersonal),
    era === "modern" ? { legacy: "reject" } : {},
  );
  return {
    paths: [],
    handle: (request, response, body, token) =>
      sender.run(token, async () => {
        const gone = new AbortController();
        response.on("close", () => gone.abort());
        const answer = await handler.fetch(
          new Request(`http://${request.headers.host}${request.url}`, {
            method: request.method ?? "GET",
            headers: request.headers as Record<string, string>,
            signal: gone.signal,
            ...(body && { body }),
          }),
        );
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (answer.body === null) return void response.end();
        Readable.fromWeb(answer.body as never)
          .on("error", () => response.destroy())
          .pipe(response);
      }),
  };
}

/** Without sessions, so that every request is checked alone. */
function legacy(onExecuted: Executed): Served {
  return {
    paths: [],
    handle: (request, response, body, token) =>
      sender.run(token, async () => {
        const transport = new StreamableHTTPServerTransport({
          enableJsonResponse: true,
        });
        await serverV1(onExecuted).connect(transport as never);
        await transport.handleRequest(request, response, body && JSON.parse(body.toString()));
      }),
  };
}

function olderTransport(onExecuted: Executed): Served {
  const sessions = new Map<string, SSEServerTransport>();
  return {
    paths: [MESSAGES],
    handle: (request, response, body, token) =>
      sender.run(token, async () => {
        const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
        if (pathname === MESSAGES) {
          const session = sessions.get(searchParams.get("sessionId") ?? "");
          if (session === undefined || body === undefined)
            return void response.writeHead(404).end();
          return session.handlePostMessage(request, response, JSON.parse(body.toString()));
        }
        if (request.method !== "GET") return void response.writeHead(405).end();
        const transport = new SSEServerTransport(MESSAGES, response);
        sessions.set(transport.sessionId, transport);
        response.on("close", () => sessions.delete(transport.sessionId));
        await serverV1(onExecuted).connect(transport);
      }),
  };
}
