/** The exit codes of the command line. */
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

/** JSON-RPC 2.0 codes and the ones MCP adds. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  serverError: -32000,
  /** Of the legacy era; the modern one has `invalidParams` for it. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;
