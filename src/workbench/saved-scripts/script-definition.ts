import { hashOf } from "../../pins/definition-hash.ts";
import { SOURCE_KEY } from "../../servers/script-source.ts";
import { isObject, parseJson } from "../../text/json.ts";
import { excessOf } from "../../wire/json-limits.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { ScriptFile } from "./script-files.ts";

const MAX_DESCRIPTION_CHARS = 4000;
const MAX_DEFINITION_CHARS = 65_536;
const ANNOTATIONS: Readonly<Record<string, "string" | "boolean">> = {
  title: "string",
  readOnlyHint: "boolean",
  destructiveHint: "boolean",
  idempotentHint: "boolean",
  openWorldHint: "boolean",
};

/** A script that can be a tool. */
export interface SavedScript {
  readonly name: string;
  /** The name of its file. */
  readonly file: string;
  readonly source: string;
  /** The same without types, as it runs. */
  readonly code: string;
  readonly definition: JsonObject;
}

/**
 * The definition of a script, from what it says about itself: JSON, evaluated in the sandbox. Throws if it cannot
 * be a tool: clients refuse a whole list of tools because of one that does not have MCP's types.
 */
export function scriptDefinition({ name, source }: ScriptFile, described: string): JsonObject {
  if (described.length > MAX_DEFINITION_CHARS)
    throw new Error(`its exports have more than ${MAX_DEFINITION_CHARS} characters`);
  const excess = excessOf(described);
  if (excess !== undefined) throw new Error(`its exports are too complex: ${excess}`);
  const value = parseJson(described);
  if (!isObject(value)) throw new Error("its exports cannot be read");
  const { description, input = { type: "object" }, annotations = {}, run } = value;
  if (typeof description !== "string" || description.trim() === "")
    throw new Error('it needs a description: export const description = "…"');
  if (description.length > MAX_DESCRIPTION_CHARS)
    throw new Error(`its description has more than ${MAX_DESCRIPTION_CHARS} characters`);
  if (run !== "function") throw new Error(RUN_PROBLEMS[String(run)] ?? RUN_NEEDED);
  const hints = checkedAnnotations(annotations);
  return {
    name,
    description,
    inputSchema: checkedInput(input),
    ...(Object.keys(hints).length > 0 && { annotations: hints }),
    [SOURCE_KEY]: hashOf(source),
  };
}

const RUN_NEEDED = "it needs a function: export async function run(input) { … }";
const RUN_PROBLEMS: Readonly<Record<string, string>> = {
  generator: "its function must not be a generator: export async function run(input) { … }",
};

function checkedInput(input: unknown): JsonObject {
  if (!isObject(input) || input["type"] !== "object")
    throw new Error('its input must be a JSON schema: export const input = { type: "object", … }');
  const { properties = {}, required = [] } = input;
  if (!isObject(properties)) throw new Error("input.properties must be an object");
  const wrong = Object.entries(properties).find(([, schema]) => !isObject(schema))?.[0];
  if (wrong !== undefined)
    throw new Error(`input.properties.${wrong} must be a JSON schema, as { type: "string" }`);
  if (!Array.isArray(required) || required.some((name) => typeof name !== "string"))
    throw new Error("input.required must be a list of names");
  return input;
}

/** The annotations that MCP knows; others are left out. */
function checkedAnnotations(annotations: unknown): JsonObject {
  if (!isObject(annotations))
    throw new Error("its annotations must be an object, as { readOnlyHint: true }");
  const known = Object.entries(annotations).filter(([key]) => Object.hasOwn(ANNOTATIONS, key));
  for (const [key, value] of known)
    if (typeof value !== ANNOTATIONS[key])
      throw new Error(`annotations.${key} must be a ${ANNOTATIONS[key]}`);
  return Object.fromEntries(known);
}
