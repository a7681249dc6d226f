import { isObject, type JsonObject, valueAt } from "../../../text/json.ts";

/** A schema without references, wrappers and null: what is left decides the kind of the field. */
export interface SimpleSchema {
  readonly schema: JsonObject;
  readonly isNullable: boolean;
  /** Set if it is a choice between schemas, or refers to something that cannot be found. */
  readonly isUnclear: boolean;
}

/** Limits how often references lead to references. */
const MAX_STEPS = 16;

/** Resolves local references, `allOf` with one schema, and choices between a schema and null. */
export function simplifySchema(given: unknown, root: unknown): SimpleSchema {
  let schema = isObject(given) ? given : {};
  let isNullable = false;
  for (let step = 0; step < MAX_STEPS; step++) {
    const { $ref, allOf, anyOf, oneOf, ...rest } = schema;
    const wrapped = Array.isArray(allOf) ? allOf : [];
    const choices: readonly unknown[] | undefined = [anyOf, oneOf].find(Array.isArray);
    if ($ref !== undefined) {
      const target = referenced($ref, root);
      if (target === undefined) return { schema: rest, isNullable, isUnclear: true };
      schema = { ...target, ...rest };
    } else if (wrapped.length === 1 && isObject(wrapped[0])) {
      schema = { ...wrapped[0], ...rest };
    } else if (wrapped.length > 1) {
      return { schema: rest, isNullable, isUnclear: true };
    } else if (choices !== undefined && choices.length > 0 && choices.every(hasConstant)) {
      // Each is a value, often with a title.
      const enumNames = choices.map(({ title }) => title);
      schema = { ...rest, enum: choices.map((choice) => choice["const"]), enumNames };
    } else if (choices !== undefined) {
      const others = choices.filter((choice) => !isNull(choice));
      isNullable ||= others.length < choices.length;
      if (others.length !== 1 || !isObject(others[0]))
        return { schema: rest, isNullable, isUnclear: true };
      schema = { ...others[0], ...rest };
    } else {
      return withoutNull(schema, isNullable);
    }
  }
  return { schema: {}, isNullable, isUnclear: true };
}

/** Takes null out of a list of types, if a single type is left. */
function withoutNull(schema: JsonObject, isNullable: boolean): SimpleSchema {
  const { type } = schema;
  if (!Array.isArray(type)) return { schema, isNullable, isUnclear: false };
  const types: unknown[] = type.filter((one) => one !== "null");
  return {
    schema: { ...schema, type: types[0] },
    isNullable: isNullable || types.length < type.length,
    isUnclear: types.length !== 1,
  };
}

function hasConstant(schema: unknown): schema is JsonObject {
  return isObject(schema) && "const" in schema;
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && (schema["type"] === "null" || schema["const"] === null);
}

/** The schema that a reference within the document points to. */
function referenced(reference: unknown, root: unknown): JsonObject | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  const keys = reference
    .slice("#/".length)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = valueAt(root, keys);
  return isObject(found) ? found : undefined;
}
