import type { Field } from "./field.ts";

/** What may be entered, in a few words; empty if there is nothing to say. */
export function hintOf(field: Field): string {
  if (field.kind === "json") return "JSON";
  if (field.kind === "number") {
    const { isInteger, minimum, maximum } = field;
    const range = [
      Number.isFinite(minimum) && `${field.isAboveMinimum ? "above" : "from"} ${minimum}`,
      Number.isFinite(maximum) && `${field.isBelowMaximum ? "below" : "to"} ${maximum}`,
    ].filter((part) => part !== false);
    return [isInteger ? "a whole number" : "a number", ...range].join(" ");
  }
  if (field.kind !== "text") return "";
  const { format, pattern, maxLength } = field;
  return [
    format,
    pattern !== "" && `pattern ${pattern}`,
    Number.isFinite(maxLength) && `at most ${maxLength} characters`,
  ]
    .filter((part) => part !== false && part !== "")
    .join(", ");
}
