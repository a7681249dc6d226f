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
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const key of path)
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
