import { shapeOf } from "./exact-keys.ts";

/** The keys of MCP messages that the workbench reads or replaces, for any method. */

const META = shapeOf([
  "progressToken",
  "io.modelcontextprotocol/protocolVersion",
  "io.modelcontextprotocol/clientCapabilities",
  "io.modelcontextprotocol/clientInfo",
  "io.modelcontextprotocol/logLevel",
  "io.modelcontextprotocol/serverInfo",
  "io.modelcontextprotocol/subscriptionId",
  "io.modelcontextprotocol/related-task",
  "mcp-workbench/origin",
]);

export const PARAMS = shapeOf(
  [
    "_meta",
    "name",
    "arguments",
    "uri",
    "ref",
    "cursor",
    "level",
    "task",
    "taskId",
    "status",
    "ttl",
    "requestId",
    "reason",
    "progressToken",
    "inputResponses",
    "requestState",
    "notifications",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "mode",
    "url",
    "elicitationId",
    "message",
    "systemPrompt",
    "includeContext",
  ],
  { _meta: META, ref: shapeOf(["type", "name", "uri"]) },
);

export const MESSAGE = shapeOf(["jsonrpc", "id", "method", "params", "result", "error"], {
  params: PARAMS,
  error: shapeOf(["code", "message", "data"]),
});
