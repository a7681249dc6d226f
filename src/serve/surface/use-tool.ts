import { type Destination, answered } from "../../calls/destination.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { failure } from "../../calls/outcome.ts";
import { type WorkbenchError, isWorkbenchError, workbenchError } from "../../errors.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import { memberText } from "../../wire/members.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { findServer } from "../../workbench/find.ts";
import {
  USE_TOOL_KEYS,
  parseUseTool,
  readUsedTool,
  refuseInput,
} from "../../workbench/meta-tools/input.ts";
import type { KnownTools } from "../../workbench/meta-tools/use-tool-hint.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { ServedClient } from "../served-client.ts";
import { explainMisfit } from "./explain-misfit.ts";

const USE_TOOL_REQUEST = shapeOf(["params"], {
  params: shapeOf(["arguments"], { arguments: USE_TOOL_KEYS }),
});

/** `use_tool`: goes to the server of the tool. */
export function useTool(
  client: ServedClient,
  request: IncomingRequest,
  known: KnownTools,
): Destination | Promise<Destination> {
  const used = request.plain && readUsedTool(request.plain);
  if (used !== undefined) return destinationOf(client, used);
  const inexact = inexactKey(request.text, USE_TOOL_REQUEST);
  if (inexact !== undefined)
    return answered(failure(workbenchError("INVALID_PARAMETERS", inexact)));
  const { arguments: input } = request.params;
  const tool = parseUseTool(input);
  if (tool !== undefined) return destinationOf(client, tool);
  return refuseUseTool(request, client.scope, known).then((error) => answered(failure(error)));
}

async function refuseUseTool(
  { params, text }: IncomingRequest,
  scope: Scope,
  known: KnownTools,
): Promise<WorkbenchError> {
  const { useToolHint } = await import("../../workbench/meta-tools/use-tool-hint.ts");
  const input = memberText(memberText(text, "params") ?? "{}", "arguments") ?? "{}";
  return refuseInput("use_tool", params["arguments"], await useToolHint(input, scope, known));
}

function destinationOf(client: ServedClient, tool: ToolIdentifier): Destination {
  const server = findServer(client.scope, tool);
  if (isWorkbenchError(server)) return answered(failure(server));
  // The command line checks arguments itself, and the library returns what the server sent.
  const onFailed = client.principal.kind === "local" ? undefined : explainMisfit;
  return { server, tool, argumentsAt: "params.arguments.arguments", onFailed };
}
