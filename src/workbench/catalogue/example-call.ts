import type { ServerRef } from "../../calls/identifier.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { type JsonObject, asText, isObject } from "../../text/json.ts";
import type { ExampleCall } from "../meta-tools/instructions.ts";

/**
 * Every conversation starts with the example, and servers choose the names in it. Only plain names
 * are used, so that no server can put sentences there.
 */
const PLAIN_NAME = /^[\w.-]{1,64}$/;
const MAX_ARGUMENTS = 3;
const MAX_TOOLS = 1000;

/** Agents may try the example, so tools that only read come first, and others that destroy never. */
const READS = /^(?:get|list|read|search|find|fetch|query|show|view|describe)/i;
const DESTROYS = /delete|remove|drop|destroy|reset|purge|kill|clear/i;

const DEPRECATED = /\bdeprecated\b/i;

/** A call of one of these tools, as an example; undefined if none is suitable. */
export function exampleCall(
  { toolbox, server }: ServerRef,
  tools: Iterable<ListedTool>,
): ExampleCall | undefined {
  let best: { readonly call: ExampleCall; readonly rank: number } | undefined;
  let left = MAX_TOOLS;
  for (const { name, value } of tools) {
    if (left-- === 0) break;
    const isUsual = PLAIN_NAME.test(name) && !DEPRECATED.test(asText(value["description"]));
    const args = isUsual ? exampleArguments(value["inputSchema"]) : undefined;
    const rank = rankOf(name, value["annotations"], args);
    if (args === undefined || rank === undefined || rank >= (best?.rank ?? Infinity)) continue;
    best = { call: { tool: { toolbox, server, name }, arguments: args }, rank };
  }
  return best?.call;
}

/** Lower is better: tools that only read, with one argument. */
function rankOf(name: string, annotations: unknown, args: JsonObject = {}): number | undefined {
  const hints = isObject(annotations) ? annotations : {};
  const { readOnlyHint, destructiveHint } = hints;
  const isReader = typeof readOnlyHint === "boolean" ? readOnlyHint : READS.test(name);
  if (readOnlyHint !== true && destructiveHint === true) return undefined;
  if (!isReader && DESTROYS.test(name)) return undefined;
  const count = Object.keys(args).length;
  return (isReader ? 0 : 10) + Math.abs(count - 1);
}

/** Keywords that may require arguments beyond those in `required`. */
const CONDITIONS = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"];

/** A value for each required argument; undefined if the schema is not simple enough. */
function exampleArguments(schema: unknown): JsonObject | undefined {
  if (!isObject(schema) || CONDITIONS.some((keyword) => keyword in schema)) return undefined;
  const { properties = {}, required = [] } = schema;
  if (!isObject(properties) || !Array.isArray(required) || required.length > MAX_ARGUMENTS)
    return undefined;
  const args: Record<string, unknown> = {};
  for (const name of required as unknown[]) {
    const own =
      typeof name === "string" && PLAIN_NAME.test(name) && Object.hasOwn(properties, name);
    const value = own ? exampleValue(properties[name]) : undefined;
    if (value === undefined) return undefined;
    args[name as string] = value;
  }
  return args;
}

const VALUES: Readonly<Record<string, unknown>> = {
  string: "…",
  integer: 1,
  number: 1,
  boolean: true,
};

function exampleValue(schema: unknown): unknown {
  if (!isObject(schema)) return undefined;
  const { type } = schema;
  const choices: unknown = "const" in schema ? [schema["const"]] : schema["enum"];
  if (Array.isArray(choices))
    return choices.find((choice) => typeof choice === "string" && PLAIN_NAME.test(choice));
  if (typeof type !== "string" || !Object.hasOwn(VALUES, type)) return undefined;
  const value = VALUES[type];
  return typeof value === "number" ? numberWithin(schema, value) : value;
}

/** The usual value, or the limit that it exceeds. */
function numberWithin({ minimum, maximum }: JsonObject, usual: number): number {
  if (typeof minimum === "number" && minimum > usual) return minimum;
  return typeof maximum === "number" && maximum < usual ? maximum : usual;
}
