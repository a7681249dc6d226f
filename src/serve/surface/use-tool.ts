import { type Destination, answered } from "../../calls/destination.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { failure } from "../../calls/outcome.ts";
import { isWorkbenchError, workbenchError } from "../../errors.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { findServer } from "../../workbench/find.ts";
import {
  USE_TOOL_KEYS,
  parseUseTool,
  readUsedTool,
  refuseInput,
} from "../../workbench/meta-tools/input.ts";
import type { ServedClient } from "../served-client.ts";

const USE_TOOL_REQUEST = shapeOf(["params"], {
  params: shapeOf(["arguments"], { arguments: USE_TOOL_KEYS }),
});

/** `use_tool`: goes to the server of the tool. */
export function useTool(
  client: ServedClient,
  request: IncomingRequest,
): Destination | Promise<Destination> {
  const used = request.plain && readUsedTool(request.plain);
  if (used !== undefined) return destinationOf(client, used);
  const inexact = inexactKey(request.text, USE_TOOL_REQUEST);
  if (inexact !== undefined)
    return answered(failure(workbenchError("INVALID_PARAMETERS", inexact)));
  const { arguments: input } = request.params;
  const tool = parseUseTool(input);
  if (tool !== undefined) return destinationOf(client, tool);
  return refuseInput("use_tool", input).then((error) => answered(failure(error)));
}

function destinationOf(client: ServedClient, tool: ToolIdentifier): Destination {
  const server = findServer(client.scope, tool);
  if (isWorkbenchError(server)) return answered(failure(server));
  return { server, tool, argumentsAt: "params.arguments.arguments" };
}
