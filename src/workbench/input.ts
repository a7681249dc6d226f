import { type WorkbenchError, workbenchError } from "../errors.ts";
import type { ToolIdentifier } from "../calls/identifier.ts";
import { isObject } from "../wire/messages.ts";
import type { CloseToolboxInput, OpenToolboxInput, SearchToolsInput } from "./input-schemas.ts";

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

export function acceptOpenToolbox(input: unknown): OpenToolboxInput | undefined {
  if (!isObject(input) || !onlyKeys(input, OPEN_KEYS)) return undefined;
  const { toolbox, detail } = input;
  const known = detail === undefined || OPEN_DETAILS.has(detail);
  return isName(toolbox) && known ? (input as OpenToolboxInput) : undefined;
}

export function acceptCloseToolbox(input: unknown): CloseToolboxInput | undefined {
  if (!isObject(input) || !onlyKeys(input, CLOSE_KEYS)) return undefined;
  return isName(input["toolbox"]) ? (input as CloseToolboxInput) : undefined;
}

export function acceptSearchTools(input: unknown): SearchToolsInput | undefined {
  if (!isObject(input) || !onlyKeys(input, SEARCH_KEYS)) return undefined;
  const { query, toolbox, limit, detail } = input;
  if (!isName(query) || !(toolbox === undefined || isName(toolbox))) return undefined;
  if (!(limit === undefined || SEARCH_LIMITS.has(limit))) return undefined;
  const known = detail === undefined || SEARCH_DETAILS.has(detail);
  return known ? (input as SearchToolsInput) : undefined;
}

const OPEN_KEYS = new Set(["toolbox", "detail"]);
const OPEN_DETAILS = new Set<unknown>(["full", "signatures", "names"]);
const CLOSE_KEYS = new Set(["toolbox"]);
const SEARCH_KEYS = new Set(["query", "toolbox", "limit", "detail"]);
const SEARCH_DETAILS = new Set<unknown>(["lines", "schema"]);
const SEARCH_LIMITS = new Set<unknown>(Array.from({ length: 20 }, (_, i) => i + 1));

function onlyKeys(input: object, known: ReadonlySet<string>): boolean {
  return Object.keys(input).every((key) => known.has(key));
}

/** `toolbox_name`, the older spelling of `toolbox`, is understood but not advertised. */
export function withoutAlias(input: unknown): unknown {
  if (!isObject(input) || "toolbox" in input || !("toolbox_name" in input)) return input;
  const { toolbox_name: toolbox, ...rest } = input;
  return { ...rest, toolbox };
}

/** The refusal of an input, as the schemas word it. */
export async function refuseInput(
  tool: "search_tools" | "use_tool" | "open_toolbox" | "close_toolbox",
  input: unknown,
): Promise<WorkbenchError> {
  const { explainInput } = await import("./input-schemas.ts");
  return workbenchError("INVALID_PARAMETERS", {
    reason: explainInput(tool, firstKeys(input ?? {})) ?? "the input is not accepted",
  });
}

/** Every unknown key would be explained, and everybody would wait for it. */
const MAX_EXPLAINED = 50;

function firstKeys(input: unknown): unknown {
  if (!isObject(input)) return input;
  const keys = Object.keys(input);
  if (keys.length <= MAX_EXPLAINED) return input;
  return Object.fromEntries(keys.slice(0, MAX_EXPLAINED).map((key) => [key, input[key]]));
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
