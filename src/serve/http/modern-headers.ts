import type { IncomingHttpHeaders } from "node:http";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { CAPABILITIES_KEY, modernVersionOf } from "../../protocol/envelope.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { type JsonObject, isObject, valueAt } from "../../text/json.ts";
import { inexactKey } from "../../wire/exact-keys.ts";
import { decodeHeaderValue, namedParameterOf } from "../../wire/header-value.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { paramHeadersOf } from "../../wire/param-headers.ts";

/**
 * What is wrong with the form of a modern request: it needs its envelope, and its headers, which proxies
 * may have used for decisions, have to match its body.
 */
export function modernProblem(
  request: IncomingRequest,
  headers: IncomingHttpHeaders,
  toolOf: (name: string) => ListedTool | undefined,
): WorkbenchError | undefined {
  const { method, params } = request;
  const version = modernVersionOf(params);
  if (version === undefined) return missingInEnvelope("protocolVersion");
  const meta = params["_meta"] as JsonObject;
  const problem =
    mismatch(headers, "MCP-Protocol-Version", version) ??
    (isObject(meta[CAPABILITIES_KEY]) ? undefined : missingInEnvelope("clientCapabilities")) ??
    mismatch(headers, "Mcp-Method", method);
  const named = namedParameterOf(method);
  if (problem !== undefined || named === undefined) return problem;
  return mismatch(headers, "Mcp-Name", params[named]) ?? paramProblem(request, headers, toolOf);
}

function paramProblem(
  { method, params: { name, arguments: args }, text }: IncomingRequest,
  headers: IncomingHttpHeaders,
  toolOf: (name: string) => ListedTool | undefined,
): WorkbenchError | undefined {
  const isCall = method === "tools/call" && typeof name === "string";
  const tool = isCall ? toolOf(name) : undefined;
  const repeated = tool && paramHeadersOf(tool.value["inputSchema"]);
  // Conforming clients do not offer a tool with a wrong schema; its headers mean nothing.
  if (repeated === undefined || typeof repeated === "string") return undefined;
  if (repeated.headers.length === 0) return undefined;
  // The header says the same as one of two spellings; the server may read the other.
  const inexact = inexactKey(text, repeated.shape);
  if (inexact !== undefined) return workbenchError("INVALID_PARAMETERS", inexact);
  for (const { header, path } of repeated.headers) {
    const value = valueAt(args, path);
    const problem = mismatch(headers, header, typeof value === "object" ? undefined : value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function mismatch(
  headers: IncomingHttpHeaders,
  name: string,
  expected: unknown,
): WorkbenchError | undefined {
  const sent = headers[name.toLowerCase()];
  if (sent === undefined)
    return expected === undefined ? undefined : wrong(`the header ${name} is missing`);
  const value = typeof sent === "string" ? decodeHeaderValue(sent) : undefined;
  if (value === undefined) return wrong(`the header ${name} is not encoded correctly`);
  return says(value, expected) ? undefined : wrong(`the header ${name} and the body differ`);
}

function says(value: string, expected: unknown): boolean {
  if (typeof expected === "number") return value.trim() !== "" && Number(value) === expected;
  const isText = typeof expected === "string" || typeof expected === "boolean";
  return isText && value === String(expected);
}

function wrong(reason: string): WorkbenchError {
  return workbenchError("HEADER_MISMATCH", { reason });
}

function missingInEnvelope(key: string): WorkbenchError {
  return workbenchError("INVALID_PARAMETERS", {
    reason: `_meta: io.modelcontextprotocol/${key}: Required`,
  });
}
