import { type Destination, answered } from "../../calls/destination.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { workbenchError } from "../../errors.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";

/** The answer to a call of a tool that the client cannot see; the hint depends on its name. */
export function unknownTool(
  name: string,
  hintFor: (tool: ToolIdentifier | null) => string,
): Destination {
  const { rpcError } = workbenchError("UNKNOWN_TOOL", { name }, hintFor(parseToolName(name)));
  return answered({ kind: "refusal", error: rpcError });
}
