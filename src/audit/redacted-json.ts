import type { Redact } from "../secrets/redact.ts";
import { isObject } from "../text/json.ts";

/** An object as JSON without secrets. Nearly always there are none, so the whole text is tried first. */
export function redactedJson(value: object, redact: Redact): string {
  const text = JSON.stringify(value);
  if (redact(text) === text) return text;
  return JSON.stringify(redactedStrings(value, redact));
}

function redactedStrings(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((element) => redactedStrings(element, redact));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [redact(key), redactedStrings(member, redact)]),
  );
}
