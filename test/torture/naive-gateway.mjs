#!/usr/bin/env node
/**
 * A gateway as one would write it in an afternoon: the SDK's clients and servers back to back, all
 * servers started before the first client is answered. It exists to fail: a scenario that it passes
 * would test nothing.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const state = join(process.env.XDG_STATE_HOME, "naive.json");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    config: { type: "string" },
    http: { type: "string" },
    json: { type: "boolean" },
    "no-auth": { type: "boolean" },
    "token-env": { type: "string" },
  },
});
if (positionals[0] === "status") {
  process.stdout.write(readFileSync(state));
  process.exit();
}

const text = readFileSync(values.config, "utf8").replace(/\$\{(\w+)\}/g, (_, name) =>
  JSON.stringify(process.env[name]).slice(1, -1),
);
const config = JSON.parse(text);
const fronts = new Set();

const servers = await Promise.all(
  Object.entries(config.toolboxes).flatMap(([toolbox, { mcpServers }]) =>
    Object.entries(mcpServers).map(async ([server, { command, args, env, cwd, url, headers }]) => {
      const transport = url
        ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
        : new StdioClientTransport({ command, args, cwd, env: { ...process.env, ...env } });
      const client = new Client({ name: "naive", version: "1.0.0" });
      client.fallbackNotificationHandler = async (notification) => {
        for (const front of fronts) await front.notification(notification);
      };
      await client.connect(transport);
      const tools = [];
      let cursor;
      do {
        const page = await client.listTools({ cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor);
      return { toolbox, server, client, tools, pid: transport.pid };
    }),
  ),
);

const toolboxes = Object.keys(config.toolboxes).map((name) => ({
  name,
  servers: servers
    .filter(({ toolbox }) => toolbox === name)
    .map(({ server, pid }) => ({ name: server, state: "ready", pid, restarts: 0 })),
}));
mkdirSync(process.env.XDG_STATE_HOME, { recursive: true });
writeFileSync(state, JSON.stringify([{ config: values.config, configProblem: null, toolboxes }]));

const inputSchema = { type: "object" };
const metaTools = ["open_toolbox", "use_tool"].map((name) => ({ name, inputSchema }));
const find = (of) =>
  servers.find(({ toolbox, server }) => toolbox === of.toolbox && server === of.server);

function createFront() {
  const front = new Server(
    { name: "naive", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  front.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...metaTools,
      ...servers.flatMap(({ toolbox, server, tools }) =>
        tools.map((tool) => ({ ...tool, name: `${toolbox}__${server}__${tool.name}` })),
      ),
    ],
  }));
  front.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const { name, arguments: input = {}, _meta } = params;
    if (name === "open_toolbox") {
      const tools = servers.filter(({ toolbox }) => toolbox === input.toolbox);
      const listed = tools.flatMap((of) =>
        of.tools.map((tool) => ({ ...tool, toolbox: of.toolbox, server: of.server })),
      );
      const opened = { ...input, servers_connected: tools.length, tools: listed };
      return { content: [{ type: "text", text: JSON.stringify(opened) }] };
    }
    const [toolbox, server, tool] = name.split("__");
    const called = name === "use_tool" ? input.tool : { toolbox, server, name: tool };
    const given = name === "use_tool" ? input.arguments : input;
    return find(called).client.callTool({ name: called.name, arguments: given, _meta });
  });
  fronts.add(front);
  return front;
}

if (values.http === undefined) await createFront().connect(new StdioServerTransport());
else {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await createFront().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  // What it must fail is the scenario. By default, Node closes connections that were idle for five
  // seconds, and a request that is sent at that moment fails for that reason.
  http.keepAliveTimeout = 0;
  http.listen(0, "127.0.0.1", () =>
    console.error(`naive listens on http://127.0.0.1:${http.address().port}`),
  );
}
