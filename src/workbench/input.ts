import { type WorkbenchError, workbenchError } from "../errors.ts";
import type { ToolIdentifier } from "../toolboxes/identifier.ts";
import { isObject } from "../wire/messages.ts";

/**
 * Quick checks of meta-tool inputs for the path every call takes. They accept only what the Zod
 * schemas in `input-schemas.ts` accept (a property test compares them); whatever they do not accept
 * is given to the schemas, which are loaded then and word the refusal.
 */

export function acceptUseTool(input: unknown): ToolIdentifier | undefined {
  if (!isObject(input)) return undefined;
  const { tool, arguments: args } = input;
  if (!isObject(tool) || !isName(tool["toolbox"]) || !isName(tool["server"])) return undefined;
  if (!isName(tool["name"]) || Object.keys(tool).length !== 3) return undefined;
  if (args !== undefined && !isObject(args)) return undefined;
  if (Object.keys(input).length !== ("arguments" in input ? 2 : 1)) return undefined;
  return tool as unknown as ToolIdentifier;
}

/** The toolbox named by the input of `open_toolbox` or `close_toolbox`. */
export function acceptToolbox(input: unknown): string | undefined {
  if (!isObject(input) || Object.keys(input).length !== 1) return undefined;
  const { toolbox } = input;
  return isName(toolbox) ? toolbox : undefined;
}

/** `toolbox_name`, the older spelling of `toolbox`, is understood but not advertised. */
export function withoutAlias(input: unknown): unknown {
  if (!isObject(input) || "toolbox" in input || !("toolbox_name" in input)) return input;
  const { toolbox_name: toolbox, ...rest } = input;
  return { ...rest, toolbox };
}

/** The refusal of an input, as the schemas word it. */
export async function refuseInput(
  tool: "use_tool" | "open_toolbox" | "close_toolbox",
  input: unknown,
): Promise<WorkbenchError> {
  const { explainInput } = await import("./input-schemas.ts");
  return workbenchError("INVALID_PARAMETERS", {
    reason: explainInput(tool, input ?? {}) ?? "the input is not accepted",
  });
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
