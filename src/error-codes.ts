/** Exit codes of the command line. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  config: 3,
  serverUnavailable: 4,
  unauthorized: 5,
  toolError: 6,
  timeout: 7,
  interrupted: 130,
} as const;

/** The error codes of JSON-RPC 2.0 and those that MCP adds. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  serverError: -32000,
  /** Legacy era only; the modern era uses `invalidParams`. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  /** Our own codes are outside the range that JSON-RPC and MCP reserve. */
  rateLimited: 429,
} as const;
