import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { type Shape, shapeOf } from "../../wire/exact-keys.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import { INPUT_RULES } from "./input-rules.generated.ts";
import type {
  CloseToolboxInput,
  MetaToolName,
  OpenToolboxInput,
  RunScriptInput,
  SearchToolsInput,
  UseToolInput,
} from "./input-schemas.ts";

/**
 * Fast checks of meta-tool inputs. Their rules are generated from the
 * Zod schemas in `input-schemas.ts`; inputs that fail go to these schemas, which are loaded only
 * then and word the error.
 */

/** The keywords of JSON Schema that the generated rules use. */
export interface InputRule {
  readonly type: "object" | "string" | "integer";
  readonly properties?: Readonly<Record<string, InputRule>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

const RULES: Readonly<Record<MetaToolName, InputRule>> = INPUT_RULES;

export function parseUseTool(input: unknown): ToolIdentifier | undefined {
  return matches(input, RULES.use_tool) ? (input as UseToolInput).tool : undefined;
}

export function parseOpenToolbox(input: unknown): OpenToolboxInput | undefined {
  return matches(input, RULES.open_toolbox) ? (input as OpenToolboxInput) : undefined;
}

export function parseCloseToolbox(input: unknown): CloseToolboxInput | undefined {
  return matches(input, RULES.close_toolbox) ? (input as CloseToolboxInput) : undefined;
}

export function parseSearchTools(input: unknown): SearchToolsInput | undefined {
  return matches(input, RULES.search_tools) ? (input as SearchToolsInput) : undefined;
}

export function parseRunScript(input: unknown): RunScriptInput | undefined {
  return matches(input, RULES.run_script) ? (input as RunScriptInput) : undefined;
}

function matches(value: unknown, rule: InputRule): boolean {
  if (rule.type === "object") return isObject(value) && hasProperties(value, rule);
  if (rule.type === "integer")
    return Number.isSafeInteger(value) && isWithin(value as number, rule.minimum, rule.maximum);
  if (typeof value !== "string" || value.length < (rule.minLength ?? 0)) return false;
  return rule.enum === undefined || rule.enum.includes(value);
}

function isWithin(value: number, minimum = -Infinity, maximum = Infinity): boolean {
  return value >= minimum && value <= maximum;
}

/** An object without rules for its properties may have any. */
function hasProperties(value: JsonObject, { properties, required = [] }: InputRule): boolean {
  if (properties === undefined) return true;
  for (const key of Object.keys(value)) {
    const rule = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (rule === undefined) return false;
    if (value[key] !== undefined && !matches(value[key], rule)) return false;
  }
  return required.every((key) => value[key] !== undefined);
}

/** The keys of inputs that must match exactly. */
export const USE_TOOL_KEYS = keysOf(RULES.use_tool.properties);
export const RUN_SCRIPT_KEYS = keysOf(RULES.run_script.properties);

function keysOf(properties: InputRule["properties"] = {}): Shape {
  const nested = Object.entries(properties).filter(([, rule]) => rule.properties !== undefined);
  const shapes = nested.map(([key, rule]) => [key, keysOf(rule.properties)] as const);
  return shapeOf(Object.keys(properties), Object.fromEntries(shapes));
}

/** `toolbox_name`, the older spelling of `toolbox`, is accepted but not advertised. */
export function withoutAlias(input: unknown): unknown {
  if (!isObject(input) || "toolbox" in input || !("toolbox_name" in input)) return input;
  const { toolbox_name: toolbox, ...rest } = input;
  return { ...rest, toolbox };
}

/** The error for an invalid input, worded by the schemas; `hint` says what to do instead. */
export async function refuseInput(
  tool: MetaToolName,
  input: unknown,
  hint?: string,
): Promise<WorkbenchError> {
  const { explainInput } = await import("./input-schemas.ts");
  const reason = explainInput(tool, firstKeys(input ?? {})) ?? "the input is not accepted";
  return workbenchError("INVALID_PARAMETERS", { reason }, hint);
}

/** Explaining thousands of unknown keys would block all clients. */
const MAX_EXPLAINED = 50;

/** The part of an input that is explained if it is not accepted. */
export function firstKeys(input: unknown): unknown {
  if (!isObject(input)) return input;
  const keys = Object.keys(input);
  if (keys.length <= MAX_EXPLAINED) return input;
  return Object.fromEntries(keys.slice(0, MAX_EXPLAINED).map((key) => [key, input[key]]));
}
