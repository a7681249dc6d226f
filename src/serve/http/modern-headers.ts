import type { IncomingHttpHeaders } from "node:http";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { CAPABILITIES_KEY, modernVersionOf } from "../../relay/envelope.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { type IncomingRequest, type JsonObject, isObject } from "../../wire/messages.ts";
import { decodeHeaderValue } from "./header-value.ts";
import { argumentAt, paramHeadersOf } from "./param-headers.ts";

/** The parameter that the header `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/**
 * What is wrong with the form of a modern request: it needs its envelope, and its headers, which proxies
 * may have used for decisions, have to match its body.
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
  const named = NAMED_BY[method];
  if (problem !== undefined || named === undefined) return problem;
  return mismatch(headers, "Mcp-Name", params[named]) ?? paramProblem(params, headers, toolOf);
}

function paramProblem(
  { name, arguments: args }: JsonObject,
  headers: IncomingHttpHeaders,
  toolOf: (name: string) => ListedTool | undefined,
): WorkbenchError | undefined {
  const tool = typeof name === "string" ? toolOf(name) : undefined;
  for (const { header, path } of tool === undefined ? [] : paramHeadersOf(tool)) {
    const problem = mismatch(headers, header, argumentAt(args, path));
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
