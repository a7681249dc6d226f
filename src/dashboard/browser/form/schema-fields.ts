import { asText, isObject, type JsonObject } from "../../../text/json.ts";
import type { Field } from "./field.ts";
import { simplifySchema } from "./simplify-schema.ts";

/** Deeper parts, and everything after this many fields, are entered as JSON. */
const MAX_DEPTH = 5;
const MAX_FIELDS = 200;

type Base = Omit<Extract<Field, { kind: "json" }>, "kind">;

/** The fields for the arguments of a tool, from its `inputSchema`, which may be anything. */
export function fieldsOf(inputSchema: unknown): Field {
  let count = 0;

  function fieldOf(given: unknown, name: string, isRequired: boolean, depth: number): Field {
    const { schema, isNullable, isUnclear } = simplifySchema(given, inputSchema);
    const base: Base = {
      name,
      title: asText(schema["title"]),
      description: asText(schema["description"]),
      isRequired,
      isNullable,
      initial: schema["default"],
    };
    const json: Field = { ...base, kind: "json" };
    if (++count > MAX_FIELDS || depth > MAX_DEPTH || isUnclear) return json;
    return (
      choiceField(schema, base) ??
      plainField(schema, base) ??
      listField(schema, base, depth) ??
      groupField(schema, base, depth) ??
      json
    );
  }

  function listField(schema: JsonObject, base: Base, depth: number): Field | undefined {
    const { type, items, prefixItems } = schema;
    if (type !== "array" || !isObject(items) || prefixItems !== undefined) return undefined;
    return {
      ...base,
      kind: "list",
      item: fieldOf(items, "", true, depth + 1),
      minItems: numberOr(schema["minItems"], 0),
      maxItems: numberOr(schema["maxItems"], Infinity),
    };
  }

  function groupField(schema: JsonObject, base: Base, depth: number): Field | undefined {
    const { type, properties, required } = schema;
    const isGroup = type === "object" || (type === undefined && isObject(properties));
    if (!isGroup) return undefined;
    const entries = Object.entries(isObject(properties) ? properties : {});
    // Without named members, the names are up to the user. At the top it is a tool without arguments.
    if (entries.length === 0 && (depth > 0 || schema["additionalProperties"] === true))
      return undefined;
    if (count + entries.length > MAX_FIELDS) return undefined;
    const names: readonly unknown[] = Array.isArray(required) ? required : [];
    const fields = entries.map(([name, member]) =>
      fieldOf(member, name, names.includes(name), depth + 1),
    );
    return { ...base, kind: "group", fields };
  }

  return fieldOf(inputSchema, "", true, 0);
}

function choiceField(schema: JsonObject, base: Base): Field | undefined {
  const isConstant = "const" in schema;
  const values: unknown = isConstant ? [schema["const"]] : schema["enum"];
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const titles: readonly unknown[] = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : [];
  const named = values.map((value: unknown, i) => ({
    value,
    name: asText(titles[i]) || asText(value) || JSON.stringify(value),
  }));
  const shown = isConstant ? named : named.filter(({ value }) => value !== null);
  return {
    ...base,
    isNullable: base.isNullable || shown.length < values.length,
    kind: "choice",
    choices: shown.map(({ value }) => value),
    names: shown.map(({ name }) => name),
  };
}

function plainField(schema: JsonObject, base: Base): Field | undefined {
  const { type } = schema;
  if (type === "boolean") return { ...base, kind: "boolean" };
  if (type === "string")
    return {
      ...base,
      kind: "text",
      minLength: numberOr(schema["minLength"], 0),
      maxLength: numberOr(schema["maxLength"], Infinity),
      format: asText(schema["format"]),
      pattern: asText(schema["pattern"]),
    };
  if (type !== "number" && type !== "integer") return undefined;
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  return {
    ...base,
    kind: "number",
    isInteger: type === "integer",
    minimum: numberOr(above, numberOr(schema["minimum"], -Infinity)),
    maximum: numberOr(below, numberOr(schema["maximum"], Infinity)),
    isAboveMinimum: typeof above === "number" || above === true,
    isBelowMaximum: typeof below === "number" || below === true,
    multipleOf: typeof schema["multipleOf"] === "number" ? schema["multipleOf"] : undefined,
  };
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
