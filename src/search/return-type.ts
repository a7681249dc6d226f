/**
 * What a tool returns, behind its signature: `{total:number, rows:{id:number}[]}`. Output schemas are
 * untrusted, as input schemas are: depth, breadth and length are bounded.
 */

import { isObject, type JsonObject } from "../text/json.ts";
import { type Shape, isFieldName, mergeShape, newShape, shapeText } from "../text/json-shape.ts";
import { resolveReference } from "./signature.ts";

export const RETURN_CHARS = 80;
const MAX_DEPTH = 6;
const MAX_FIELDS = 48;
const MAX_ALTERNATIVES = 4;

/** The type that an output schema describes; an empty string if it says nothing. */
export function returnTypeOf(outputSchema: unknown, maxChars = RETURN_CHARS): string {
  if (!isObject(outputSchema)) return "";
  const text = shapeText(shapeOfSchema(outputSchema, outputSchema, 0), { maxChars });
  return text === "{}" || text === "…" ? "" : text;
}

/** A return type as it follows a signature. */
export function returned(type: string): string {
  return type === "" ? "" : ` -> ${type}`;
}

function shapeOfSchema(schema: unknown, root: JsonObject, depth: number): Shape {
  const shape = newShape();
  shape.count = 1;
  if (!isObject(schema) || depth > MAX_DEPTH) return shape;
  const reference = schema["$ref"];
  if (typeof reference === "string")
    return shapeOfSchema(resolveReference(reference, root), root, depth + 1);
  const { type } = schema;
  const types = Array.isArray(type)
    ? type.slice(0, MAX_ALTERNATIVES)
    : [type ?? impliedType(schema)];
  for (const one of types) addType(shape, one, schema, root, depth);
  for (const keyword of ["anyOf", "oneOf"]) {
    const alternatives = schema[keyword];
    if (!Array.isArray(alternatives)) continue;
    for (const one of alternatives.slice(0, MAX_ALTERNATIVES))
      mergeShape(shape, shapeOfSchema(one, root, depth + 1));
  }
  return shape;
}

function impliedType(schema: JsonObject): string | undefined {
  if (isObject(schema["properties"])) return "object";
  if (isObject(schema["items"])) return "array";
  const value: unknown = Array.isArray(schema["enum"]) ? schema["enum"][0] : schema["const"];
  return typeof value === "object" ? undefined : typeof value;
}

function addType(
  shape: Shape,
  type: unknown,
  schema: JsonObject,
  root: JsonObject,
  depth: number,
): void {
  if (type === "object") addObject(shape, schema, root, depth);
  else if (type === "array") {
    shape.arrays = 1;
    shape.lengths[1] = 1;
    shape.elements = shapeOfSchema(schema["items"], root, depth + 1);
  } else if (type === "integer" || type === "number") shape.kinds.add("number");
  else if (type === "string" || type === "boolean" || type === "null") shape.kinds.add(type);
}

function addObject(shape: Shape, schema: JsonObject, root: JsonObject, depth: number): void {
  const { properties, additionalProperties } = schema;
  const names = Object.keys(isObject(properties) ? properties : {})
    .slice(0, MAX_FIELDS)
    .filter(isFieldName);
  if (names.length === 0 && !isObject(additionalProperties)) {
    // Any object.
    shape.hasUnread = true;
    return;
  }
  shape.objects = 1;
  shape.isMap = names.length === 0;
  if (shape.isMap) shape.fields.set("", shapeOfSchema(additionalProperties, root, depth + 1));
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  for (const name of names) {
    const field = shapeOfSchema((properties as JsonObject)[name], root, depth + 1);
    // An optional field is one that not all objects have.
    if (!required.has(name)) field.count = 0;
    shape.fields.set(name, field);
  }
}
