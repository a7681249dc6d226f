import type { ToolIdentifier } from "../../calls/identifier.ts";
import { isWorkbenchError, workbenchError } from "../../errors.ts";
import { findServer } from "../find.ts";
import type { Scope } from "../scopes.ts";
import { type GivenCall, givenCall } from "./given-call.ts";
import { type KnownTools, meantTools } from "./meant-tools.ts";

/**
 * The hint for a malformed call of `use_tool`: the call that was probably meant, ready to be copied.
 * It is only suggested, never made.
 */

/** Longer arguments would cost the agent more than they help. */
const MAX_ARGUMENTS_CHARS = 2000;
const MAX_SUGGESTED = 5;

const FORM = '{"tool":{"toolbox":"TOOLBOX","server":"SERVER","name":"TOOL"},"arguments":{}}';

export async function useToolHint(
  inputText: string,
  scope: Scope,
  known: KnownTools,
  metaTool = "use_tool",
): Promise<string> {
  const given = givenCall(inputText);
  const tools = given && (await meantTools(given, scope, known));
  const [first, ...others] = tools ?? [];
  if (given === undefined || first === undefined)
    return `Call ${metaTool} with ${FORM}. ${missing(given, scope)}`;
  const rest = others.slice(0, MAX_SUGGESTED).map((tool) => JSON.stringify(tool));
  const choice = rest.length === 0 ? "" : `, or with another tool: ${rest.join(" or ")}`;
  return `Call ${metaTool} with ${callText(first, given.args)}${choice}`;
}

/** Why no call can be suggested. */
function missing(given: GivenCall | undefined, scope: Scope): string {
  const { toolbox, server, name } = given ?? {};
  if (toolbox !== undefined && server !== undefined && name !== undefined) {
    const found = findServer(scope, { toolbox, server });
    if (isWorkbenchError(found)) return found.text;
    if (found.settings.disabled) return `Server '${server}' is disabled`;
    return workbenchError("TOOL_NOT_FOUND", { toolbox, server, name }).text;
  }
  return "search_tools finds the names";
}

function callText(tool: ToolIdentifier, args: string): string {
  const { toolbox, server, name } = tool;
  const id = JSON.stringify({ toolbox, server, name });
  if (args.length <= MAX_ARGUMENTS_CHARS) return `{"tool":${id},"arguments":${args}}`;
  return `"tool":${id} and, in "arguments", the arguments that you sent, as one JSON object`;
}
