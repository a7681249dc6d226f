/**
 * A small server whose error messages are as terse as those of many servers: "Invalid arguments".
 * Its first argument chooses which tools it has.
 */
import { createInterface } from "node:readline";

const string = { type: "string" };
const TOOLS = {
  github: [
    {
      name: "create_issue",
      description: "Create an issue in a repository.",
      properties: {
        repository: string,
        title: string,
        body: string,
        labels: { type: "array", items: string },
      },
      required: ["repository", "title"],
    },
    {
      name: "list_issues",
      description: "List the issues of a repository.",
      properties: {
        repository: string,
        state: { enum: ["open", "closed"] },
        limit: { type: "integer" },
      },
      required: ["repository"],
    },
  ],
  jira: [
    {
      name: "search_tickets",
      description: "Search tickets by text.",
      properties: { query: string },
      required: ["query"],
    },
  ],
  notion: [
    {
      name: "search_pages",
      description: "Search pages by text.",
      properties: { query: string },
      required: ["query"],
    },
  ],
};

const tools = TOOLS[process.argv[2]];

function fits(value, { type, enum: choices }) {
  if (choices !== undefined) return choices.includes(value);
  if (type === "array") return Array.isArray(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function call({ name, arguments: args = {} }) {
  const { properties, required } = tools.find((tool) => tool.name === name);
  const isValid =
    required.every((key) => key in args) &&
    Object.entries(args).every(([key, value]) => key in properties && fits(value, properties[key]));
  const text = isValid ? "Done." : "Invalid arguments";
  return { content: [{ type: "text", text }], ...(!isValid && { isError: true }) };
}

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: process.argv[2], version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: tools.map(({ name, description, properties, required }) => ({
      name,
      description,
      inputSchema: { type: "object", properties, required },
    })),
  }),
  "tools/call": call,
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = ANSWERS[method];
  const body = answer
    ? { result: answer(params) }
    : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
});
