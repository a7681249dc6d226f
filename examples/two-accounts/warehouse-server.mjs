#!/usr/bin/env node
/**
 * Stands for the MCP server of a data warehouse. Every tool reports which account called it, and with
 * which arguments, so that the effect of the configuration can be seen. No dependencies.
 */
import { createInterface } from "node:readline";

const account = (process.env.WAREHOUSE_TOKEN ?? "nobody").replace(/-.*/, "");
const text = { type: "string" };
const database = { ...text, description: "Name of the database: prod, prod_ro or staging" };

const tool = (name, description, properties, required) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required, additionalProperties: false },
});

const tools = [
  tool(
    "query",
    "Run a SQL query and return its rows.",
    { database, sql: { ...text, description: "One SELECT" }, timeout_s: { type: "integer" } },
    ["database", "sql"],
  ),
  tool("list_tables", "List the tables of a database.", { database }, ["database"]),
  tool(
    "delete_rows",
    "Delete rows of a table that match a condition.",
    { database, table: text, where: text, limit: { type: "integer" } },
    ["database", "table", "where"],
  ),
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "warehouse", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: given }) => ({
    content: [{ type: "text", text: JSON.stringify({ account, tool: name, arguments: given }) }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = Object.hasOwn(answers, method)
    ? { result: answers[method](params) }
    : { error: { code: -32601, message: `Method not found: ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
