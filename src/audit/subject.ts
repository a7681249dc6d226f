import type { ClientCall } from "../calls/call.ts";
import { isObject } from "../text/json.ts";
import { cut } from "../text/truncate.ts";

/** What a call is about. */
export interface Subject {
  readonly toolbox?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly prompt?: string | undefined;
}

/** Names that do not exist may be of any length. */
const MAX_NAME_CHARS = 128;

/** Methods that the workbench may answer, or refuse, on behalf of servers. */
const ABOUT_SERVERS = /^(?:tools\/call$|(?:prompts|resources|completion|tasks)\/)/;

/** Meta-tools that call the tool in their arguments. */
const CALLING_TOOLS: ReadonlySet<unknown> = new Set(["use_tool", "read_tool"]);

/**
 * Whether a call belongs in the log: everything that goes to a server, and all calls of tools,
 * prompts and the like, also if they were refused. The rest concerns only the workbench itself.
 */
export function isAudited({ destination, method }: ClientCall): boolean {
  return destination?.server !== undefined || ABOUT_SERVERS.test(method);
}

/** A call of `use_tool` is about the tool that it calls, even if that does not exist. */
export function subjectOf({ destination, method, request }: ClientCall): Subject {
  if (destination?.server !== undefined) {
    const { place } = destination.server;
    if (destination.tool !== undefined) return { ...place, tool: destination.tool.name };
    // A server that is served alone has no list of the tools that may be called.
    if (method === "tools/call") return { ...place, tool: name(request.params["name"]) };
    return { ...place, ...(method === "prompts/get" && { prompt: name(destination.subject) }) };
  }
  const { params } = request;
  if (method === "prompts/get") return { prompt: name(params["name"]) };
  if (method !== "tools/call") return {};
  const args = params["arguments"];
  const tool = isObject(args) && CALLING_TOOLS.has(params["name"]) ? args["tool"] : undefined;
  if (isObject(tool))
    return {
      toolbox: name(tool["toolbox"]),
      server: name(tool["server"]),
      tool: name(tool["name"]) ?? name(params["name"]),
    };
  return {
    toolbox: isObject(args) ? name(args["toolbox"]) : undefined,
    tool: name(params["name"]),
  };
}

function name(value: unknown): string | undefined {
  return typeof value === "string" ? cut(value, MAX_NAME_CHARS) : undefined;
}
