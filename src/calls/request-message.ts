import { type WorkbenchError, workbenchError } from "../errors.ts";
import type { CallableTool, Route } from "./call.ts";
import type { ClientCall } from "./client-call.ts";
import type { OnServer } from "./destination.ts";
import { type MoreInput, metaText, requestTextFor } from "./request-text.ts";
import { argumentsProblem, toolCallText } from "./tool-call-text.ts";

/**
 * The message that sends a call to a server: the client's own text as far as possible. `tool` is
 * set if the destination is a tool.
 */
export function messageFor(
  { request, id, caller }: ClientCall,
  destination: OnServer,
  tool: CallableTool | undefined,
  route: Route,
  input: MoreInput | undefined,
): string {
  const meta = metaText(request, id, route.era, caller.envelope);
  if (destination.tool === undefined || tool === undefined)
    return requestTextFor(request, id, { ...destination.changes, _meta: meta, ...input });
  let further = meta === undefined ? "" : `,"_meta":${meta}`;
  if (input !== undefined)
    for (const [key, value] of Object.entries(input))
      if (value !== undefined) further += `,"${key}":${value}`;
  const { argumentsAt } = destination;
  return toolCallText(request, id, tool.nameJson, argumentsAt, further, tool.pinned);
}

/** Why the arguments of a call cannot be sent to a tool with fixed arguments. */
export function argumentsError(
  { request }: ClientCall,
  destination: OnServer,
  tool: CallableTool | undefined,
): WorkbenchError | undefined {
  if (destination.tool === undefined || tool?.pinned === undefined) return undefined;
  const reason = argumentsProblem(request, destination.argumentsAt, tool.pinned);
  return reason === undefined ? undefined : workbenchError("INVALID_PARAMETERS", { reason });
}
