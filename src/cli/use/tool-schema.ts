import { type JsonObject, isObject } from "../../wire/messages.ts";

/**
 * The little of JSON Schema that it takes to turn words into arguments. Schemas are written by
 * servers: whatever cannot be understood is left for the server to judge.
 */

const DEEPEST = 8;

export function propertiesOf(schema: unknown): JsonObject {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? properties : {};
}

/** A schema with its reference into the same document followed. */
export function resolved(schema: unknown, root: unknown): JsonObject {
  let at = schema;
  for (let depth = 0; depth < DEEPEST; depth++) {
    if (!isObject(at)) return {};
    const reference = at["$ref"];
    if (typeof reference !== "string") return at;
    if (!reference.startsWith("#/")) return {};
    at = reference
      .slice(2)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
        root,
      );
  }
  return {};
}

/** The ways in which a value may be right: the branches of a union, or the schema itself. */
export function alternativesOf(schema: unknown, root: unknown, depth = 0): readonly JsonObject[] {
  const own = resolved(schema, root);
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = own[keyword];
    if (Array.isArray(branches) && depth < DEEPEST)
      return branches.flatMap((branch) => alternativesOf(branch, root, depth + 1));
  }
  const { type } = own;
  return Array.isArray(type) ? type.map((one) => ({ ...own, type: one as unknown })) : [own];
}

/** What a value is expected to be, in words. */
export function expectationOf(schema: unknown, root: unknown): string {
  const words = alternativesOf(schema, root).map((branch) => {
    const choices = choicesOf(branch);
    if (choices !== undefined)
      return `one of ${choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice))).join(", ")}`;
    const type = typeof branch["type"] === "string" ? branch["type"] : "any value";
    if (type !== "array") return type;
    return `list of ${expectationOf(branch["items"], root)}`;
  });
  return [...new Set(words)].join(" or ");
}

/** The only values allowed, if the schema says so. */
export function choicesOf(schema: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  return Object.hasOwn(schema, "const") ? [schema["const"]] : undefined;
}
