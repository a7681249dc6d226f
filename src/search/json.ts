/** Type guards for untrusted JSON: tool definitions come from servers, which may send anything. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
