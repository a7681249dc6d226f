/**
 * A JSON schema as a parameter list an agent can call from: `path: string, head?: integer`.
 *
 * Schemas are untrusted. Everything here is bounded in depth, breadth and length, so that no schema
 * can make it throw, recurse endlessly or return a huge text.
 */

import { cut } from "../text/truncate.ts";
import { isObject, type JsonObject, valueAt } from "../text/json.ts";
import { isIdentifier } from "../text/json-shape.ts";
import { onOneLine } from "./sentence.ts";

const DEFAULT_MAX_CHARS = 120;
const ELLIPSIS = "…";
const MAX_TYPE_DEPTH = 3;
const MAX_ALTERNATIVES = 4;
const MAX_VALUE_LENGTH = 16;
const MAX_ENUM_LENGTH = 40;
const MAX_NAME_LENGTH = 40;
const MAX_REQUIRED = 500;
const SIMPLE_TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "integer",
  "number",
  "boolean",
  "object",
  "null",
]);

/** Required parameters come first, because what does not fit in `maxChars` is left out. */
export function signatureOf(inputSchema: unknown, maxChars = DEFAULT_MAX_CHARS): string {
  if (!isObject(inputSchema)) return "";
  let signature = "";
  for (const parameter of parametersOf(inputSchema)) {
    const longer = signature === "" ? parameter : `${signature}, ${parameter}`;
    if (longer.length > maxChars) return withEllipsis(signature, maxChars);
    signature = longer;
  }
  return signature;
}

/** Each parameter with its type, required ones first. */
export function* parametersOf(inputSchema: JsonObject): Generator<string, void> {
  const schema = referredTo(inputSchema);
  const properties = isObject(schema) ? schema["properties"] : undefined;
  if (!isObject(schema) || !isObject(properties)) return;
  const required = requiredNames(schema);
  for (const name of orderedNames(properties, required))
    yield parameterOf(name, required.has(name), properties[name], inputSchema);
}

/** The schema that a generator wrote as a reference to a definition beside it. */
function referredTo(schema: JsonObject): unknown {
  const reference = schema["$ref"];
  const isOnlyReference = typeof reference === "string" && schema["properties"] === undefined;
  return isOnlyReference ? resolveReference(reference, schema) : schema;
}

function requiredNames(schema: JsonObject): ReadonlySet<unknown> {
  const required = schema["required"];
  return new Set(Array.isArray(required) ? required.slice(0, MAX_REQUIRED) : []);
}

function* orderedNames(
  properties: JsonObject,
  required: ReadonlySet<unknown>,
): Generator<string, void> {
  for (const name of required) {
    if (typeof name === "string" && Object.hasOwn(properties, name)) yield name;
  }
  for (const name of Object.keys(properties)) if (!required.has(name)) yield name;
}

function withEllipsis(signature: string, maxChars: number): string {
  const fits = signature === "" ? ELLIPSIS : `${signature}, ${ELLIPSIS}`;
  return fits.length <= maxChars ? fits : cut(signature, maxChars);
}

function parameterOf(name: string, isRequired: boolean, schema: unknown, root: JsonObject): string {
  // Names are written as in an object of a script.
  const shown = isIdentifier(name) ? name : JSON.stringify(onOneLine(name.slice(0, 200)));
  return `${cut(shown, MAX_NAME_LENGTH)}${isRequired ? "" : "?"}: ${typeOf(schema, root, 0)}`;
}

function typeOf(schema: unknown, root: JsonObject, depth: number): string {
  if (!isObject(schema) || depth > MAX_TYPE_DEPTH) return "any";
  const reference = schema["$ref"];
  if (typeof reference === "string")
    return typeOf(resolveReference(reference, root), root, depth + 1);
  if (Array.isArray(schema["enum"]))
    return enumType(schema["enum"]) ?? declaredType(schema, root, depth);
  if ("const" in schema) return enumType([schema["const"]]) ?? declaredType(schema, root, depth);
  return declaredType(schema, root, depth);
}

/** `"a"|"b"` if that is short enough to be worth its tokens. */
function enumType(values: readonly unknown[]): string | undefined {
  if (values.length === 0 || values.length > MAX_ENUM_LENGTH / 2) return undefined;
  const shown: string[] = [];
  for (const value of values) {
    if (typeof value === "object" && value !== null) return undefined;
    if (typeof value === "string" && value.length > MAX_VALUE_LENGTH) return undefined;
    shown.push(typeof value === "string" ? JSON.stringify(onOneLine(value)) : String(value));
  }
  const type = shown.join("|");
  return type.length <= MAX_ENUM_LENGTH ? type : undefined;
}

function declaredType(schema: JsonObject, root: JsonObject, depth: number): string {
  const { type } = schema;
  if (typeof type === "string") return namedType(type, schema, root, depth);
  if (Array.isArray(type)) {
    return union(type, (one) => namedType(one, schema, root, depth));
  }
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const alternatives = schema[keyword];
    if (!Array.isArray(alternatives)) continue;
    return keyword === "allOf"
      ? typeOf(alternatives[0], root, depth + 1)
      : union(alternatives, (one) => typeOf(one, root, depth + 1));
  }
  if (isObject(schema["properties"])) return "object";
  if ("items" in schema) return arrayType(schema, root, depth);
  return Array.isArray(schema["enum"]) && typeof schema["enum"][0] === "string" ? "string" : "any";
}

function namedType(type: unknown, schema: JsonObject, root: JsonObject, depth: number): string {
  if (type === "array") return arrayType(schema, root, depth);
  return SIMPLE_TYPES.has(type) ? (type as string) : "any";
}

function arrayType(schema: JsonObject, root: JsonObject, depth: number): string {
  const items = typeOf(schema["items"], root, depth + 1);
  return items.includes("|") ? `(${items})[]` : `${items}[]`;
}

/** `null` only means that the parameter is optional, which the `?` already says. */
function union(alternatives: readonly unknown[], show: (one: unknown) => string): string {
  const types = new Set(alternatives.slice(0, MAX_ALTERNATIVES + 1).map(show));
  if (types.size > 1) types.delete("null");
  if (types.has("any") || types.size === 0) return "any";
  const shown = [...types];
  const tooMany = shown.length > MAX_ALTERNATIVES;
  return tooMany ? `${shown.slice(0, MAX_ALTERNATIVES).join("|")}|${ELLIPSIS}` : shown.join("|");
}

/** Only references within the schema, `#/$defs/Name`, are followed. */
export function resolveReference(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith("#/") || reference.length > 256) return undefined;
  const steps = reference.slice(2).split("/");
  return valueAt(
    root,
    steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")),
  );
}
