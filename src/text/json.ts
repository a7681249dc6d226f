/** Narrowing of JSON from outside, which may be anything. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value that should be a string; an empty string if it is not. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value at this path; undefined if there is none. */
export function valueAt(document: unknown, path: readonly (string | number)[]): unknown {
  let value = document;
  for (const key of path) {
    const isIn = Array.isArray(value) ? typeof key === "number" : isObject(value);
    value = isIn && Object.hasOwn(value as object, key) ? (value as JsonObject)[key] : undefined;
  }
  return value;
}

/** The members of a value that should be an object; none if it is not. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
