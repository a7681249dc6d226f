import type { IncomingHttpHeaders } from "node:http";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { CAPABILITIES_KEY, modernVersionOf } from "../../relay/envelope.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { type JsonObject, isObject, valueAt } from "../../text/json.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { decodeHeaderValue, namedParameterOf } from "../../wire/header-value.ts";
import { paramHeadersOf } from "../../wire/param-headers.ts";

/**
 * What is wrong with a modern request before it is looked at: it has to carry its envelope, and the
 * headers, by which others may have judged it on its way, have to say the same as its body.
 */
export function modernProblem(
  { method, params }: IncomingRequest,
  headers: IncomingHttpHeaders,
  toolOf: (name: string) => ListedTool | undefined,
): WorkbenchError | undefined {
  const version = modernVersionOf(params);
  if (version === undefined) return missingInEnvelope("protocolVersion");
  const meta = params["_meta"] as JsonObject;
  const problem =
    mismatch(headers, "MCP-Protocol-Version", version) ??
    (isObject(meta[CAPABILITIES_KEY]) ? undefined : missingInEnvelope("clientCapabilities")) ??
    mismatch(headers, "Mcp-Method", method);
  const named = namedParameterOf(method);
  if (problem !== undefined || named === undefined) return problem;
  return mismatch(headers, "Mcp-Name", params[named]) ?? paramProblem(params, headers, toolOf);
}

function paramProblem(
  { name, arguments: args }: JsonObject,
  headers: IncomingHttpHeaders,
  toolOf: (name: string) => ListedTool | undefined,
): WorkbenchError | undefined {
  const tool = typeof name === "string" ? toolOf(name) : undefined;
  const mirrored = tool === undefined ? [] : paramHeadersOf(tool.value["inputSchema"]);
  // Conforming clients do not offer a tool with a wrong schema; its headers mean nothing.
  if (typeof mirrored === "string") return undefined;
  for (const { header, path } of mirrored) {
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
  if (value === undefined) return wrong(`the header ${name} is not written as it has to be`);
  return says(value, expected) ? undefined : wrong(`the header ${name} and the body differ`);
}

function says(value: string, expected: unknown): boolean {
  if (typeof expected === "number") return value.trim() !== "" && Number(value) === expected;
  return expected !== undefined && value === String(expected);
}

function wrong(reason: string): WorkbenchError {
  return workbenchError("HEADER_MISMATCH", { reason });
}

function missingInEnvelope(key: string): WorkbenchError {
  return workbenchError("INVALID_PARAMETERS", {
    reason: `_meta: io.modelcontextprotocol/${key}: Required`,
  });
}
