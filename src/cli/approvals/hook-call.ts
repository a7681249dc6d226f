import type { ToolIdentifier } from "../../calls/identifier.ts";
import { hookedToolNames } from "../../clients/hook-entry.ts";
import { isObject, parseJson } from "../../text/json.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import { memberText } from "../../wire/members.ts";
import { type IncomingRequest, classify, requestMessage } from "../../wire/messages.ts";
import { USE_TOOL_KEYS, parseUseTool } from "../../workbench/meta-tools/input.ts";

/** A call that a client is about to make. */
export interface HookedCall {
  readonly metaTool: "use_tool" | "read_tool";
  readonly tool: ToolIdentifier;
  /** The request that the client would send. */
  readonly request: IncomingRequest;
}

/** The keys of the hook's input that decide something. */
const HOOK_KEYS = shapeOf(["hook_event_name", "tool_name", "tool_input"], {
  tool_input: USE_TOOL_KEYS,
});

/** The call that the input of a PreToolUse hook is about; undefined if it is not a clear call of a tool. */
export function readHookedCall(text: string, entry: string): HookedCall | undefined {
  const input = parseJson(text);
  if (!isObject(input) || inexactKey(text, HOOK_KEYS) !== undefined) return undefined;
  if (input["hook_event_name"] !== "PreToolUse") return undefined;
  const metaTool = hookedToolNames(entry).get(String(input["tool_name"]));
  const written = memberText(text, "tool_input");
  const tool = parseUseTool(input["tool_input"]);
  if (metaTool === undefined || written === undefined || tool === undefined) return undefined;
  const params = `{"name":"${metaTool}","arguments":${written}}`;
  const message = requestMessage("0", "tools/call", params);
  const incoming = classify(JSON.parse(message), message);
  return incoming.kind === "request" ? { metaTool, tool, request: incoming.request } : undefined;
}
