import {
  type ArgumentsAt,
  type Destination,
  type LocalDestination,
  type ToolDestination,
  answered,
} from "../../calls/destination.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { failure } from "../../calls/outcome.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import type { PlainCall } from "../../wire/plain-messages.ts";
import { NOT_JSON, plainStringEnd, skipSpace, strictMemberValue } from "../../wire/strict-json.ts";
import { serverNotFound } from "../../workbench/find.ts";
import { USE_TOOL_KEYS, parseUseTool } from "../../workbench/meta-tools/input.ts";
import type { KnownTools } from "../../workbench/meta-tools/meant-tools.ts";
import type { ServedCall, ServedClient } from "../served-client.ts";
import { type CallingTool, refuseInexactKey, refuseUseTool } from "./refuse-use-tool.ts";
import { knownTo } from "./seen-tools.ts";
import type { MetaToolRoute } from "./tool-surface.ts";
import { FOR_AGENTS, FOR_PROGRAMS } from "./used-tool-responses.ts";
import { COMMA, OPEN_BRACE } from "../../wire/characters.ts";

const USE_TOOL_REQUEST = shapeOf(["params"], {
  params: shapeOf(["arguments"], { arguments: USE_TOOL_KEYS }),
});

const ARGUMENTS_AT = "params.arguments.arguments";

/** `use_tool`: goes to the server of the tool. */
export function useTool(known: KnownTools): MetaToolRoute {
  return routeCalls("use_tool", known, destinationOf);
}

/** The route of a meta-tool that calls the tool it names. */
export function routeCalls(
  metaTool: CallingTool,
  known: KnownTools,
  destinationOf: (client: ServedClient, tool: ToolIdentifier) => Destination,
): MetaToolRoute {
  const route: MetaToolRoute = (client, request) => {
    const used = request.plain && readUsedTool(request.plain);
    if (used !== undefined) return destinationOf(client, used);
    const inexact = inexactKey(request.text, USE_TOOL_REQUEST);
    const seen = knownTo(client, known);
    const refused = { request, metaTool, scope: client.scope, known: seen };
    if (inexact !== undefined) return refuseInexactKey(refused, inexact);
    const tool = parseUseTool(request.params["arguments"]);
    if (tool !== undefined) return destinationOf(client, tool);
    return refuseUseTool(refused);
  };
  return (client, request, call) => {
    const resolving = resolvedRequestOf(client, call, ARGUMENTS_AT);
    if (resolving === undefined) return route(client, request, call);
    return resolving.then(async (resolved) => {
      const destination = await route(client, resolved, call);
      const isTool = destination.server !== undefined && destination.tool !== undefined;
      return isTool ? { ...destination, request: resolved } : destination;
    });
  };
}

/**
 * The request of a call with stored results in place of the references in the arguments of its tool;
 * undefined if it certainly has none.
 */
export function resolvedRequestOf(
  client: ServedClient,
  { request, parent }: ServedCall,
  at: ArgumentsAt,
): Promise<ServedCall["request"]> | undefined {
  const { results } = client.pipeline;
  // In a script, a stored result is a variable.
  if (results === undefined || parent !== undefined) return undefined;
  if (!results.isUsed && !hasReference(request.text)) return undefined;
  return results.resolve(client, request, at);
}

/** Before anything is stored, a reference is one to a result of an earlier session. */
function hasReference(request: string): boolean {
  return request.includes('"$result"');
}

/** The destination of a call of a tool, by its identifier. */
export function destinationOf(
  client: ServedClient,
  tool: ToolIdentifier,
): ToolDestination | LocalDestination {
  const server = client.scope.get(tool.toolbox)?.servers.get(tool.server);
  if (server === undefined) return answered(failure(serverNotFound(client.scope, tool)));
  const { onFailed, amend } = client.principal.kind === "local" ? FOR_PROGRAMS : FOR_AGENTS;
  return { server, tool, argumentsAt: ARGUMENTS_AT, onFailed, mayStoreResult: true, amend };
}

/**
 * The tool that a call of `use_tool` names, read from the text of the call; undefined if the call
 * has to be parsed. Nearly every call takes this path, so it is written by hand.
 */
export function readUsedTool(call: PlainCall): ToolIdentifier | undefined {
  const { text, toolStart, innerStart } = call;
  if (toolStart === 0 || call.hasOthers || text.charCodeAt(toolStart) !== OPEN_BRACE)
    return undefined;
  if (innerStart !== 0 && text.charCodeAt(innerStart) !== OPEN_BRACE) return undefined;
  let toolbox = "";
  let server = "";
  let name = "";
  let at = toolStart;
  do {
    at = skipSpace(text, at + 1);
    const value = strictMemberValue(text, at);
    const end = plainStringEnd(text, value);
    if (end === NOT_JSON) return undefined;
    const given = text.slice(value + 1, end - 1);
    if (given === "") return undefined;
    if (text.startsWith('"toolbox"', at) && toolbox === "") toolbox = given;
    else if (text.startsWith('"server"', at) && server === "") server = given;
    else if (text.startsWith('"name"', at) && name === "") name = given;
    else return undefined;
    at = skipSpace(text, end);
  } while (text.charCodeAt(at) === COMMA);
  return toolbox !== "" && server !== "" && name !== "" ? { toolbox, server, name } : undefined;
}
