import { nearest } from "../../text/nearest.ts";
import { type JsonObject, isObject, parseJson } from "../../text/json.ts";
import {
  SchemaBudget,
  alternativesOf,
  choicesOf,
  expectationOf,
} from "../../workbench/meta-tools/tool-schema.ts";

export type Coerced = { readonly value: unknown } | { readonly problem: string };

/** Converts the text given for one argument, once or repeatedly, to the type in its schema. */
export function coerce(
  texts: readonly string[],
  schema: unknown,
  root: unknown,
  budget = new SchemaBudget(),
): Coerced {
  const branches = alternativesOf(schema, root, budget).toSorted((a, b) => rank(a) - rank(b));
  const lists = branches.filter((branch) => branch["type"] === "array");
  if (texts.length > 1) {
    for (const list of lists) {
      const items = texts.map((text) => coerce([text], list["items"], root));
      const bad = items.find((item) => "problem" in item);
      return bad ?? { value: items.map((item) => ("value" in item ? item.value : undefined)) };
    }
    return { problem: "Given more than once, but it is not a list" };
  }
  const [text = ""] = texts;
  for (const branch of branches) {
    const found = fit(text, branch, root, budget);
    if (found !== undefined) return found;
  }
  return {
    problem: `Expected ${expectationOf(schema, root)}, got '${text}'${proposal(text, branches)}`,
  };
}

/** Any text is a valid string, so all other types are tried first. */
const ORDER = ["null", "boolean", "integer", "number", "array", "object"];

function rank(branch: JsonObject): number {
  if (choicesOf(branch) !== undefined) return -1;
  const at = ORDER.indexOf(String(branch["type"]));
  return at === -1 ? ORDER.length : at;
}

const TRUE = /^(true|yes|on|1)$/i;
const FALSE = /^(false|no|off|0)$/i;

function fit(
  text: string,
  branch: JsonObject,
  root: unknown,
  budget: SchemaBudget,
): Coerced | undefined {
  const choices = choicesOf(branch);
  if (choices !== undefined) {
    const chosen = choices.find((choice) => choice === text || JSON.stringify(choice) === text);
    return chosen === undefined ? undefined : { value: chosen };
  }
  switch (branch["type"]) {
    case "string":
      return { value: text };
    case "null":
      return text === "null" ? { value: null } : undefined;
    case "boolean":
      if (TRUE.test(text)) return { value: true };
      return FALSE.test(text) ? { value: false } : undefined;
    case "integer":
    case "number":
      return fitNumber(text, branch["type"] === "integer");
    case "array":
      return fitList(text, branch, root, budget);
    case "object": {
      const value = parseJson(text);
      return isObject(value) ? { value } : undefined;
    }
    default: {
      // No type given: parse it as JSON if possible, otherwise pass it as text.
      const value = parseJson(text);
      return { value: value === undefined ? text : value };
    }
  }
}

function fitNumber(text: string, whole: boolean): Coerced | undefined {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value) || (whole && !Number.isInteger(value))) return undefined;
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return { problem: "Too large to be passed exactly; use --args" };
  return { value };
}

function fitList(
  text: string,
  branch: JsonObject,
  root: unknown,
  budget: SchemaBudget,
): Coerced | undefined {
  const value = text.trimStart().startsWith("[") ? parseJson(text) : undefined;
  if (Array.isArray(value)) return { value };
  const item = coerce([text], branch["items"], root, budget);
  return "value" in item ? { value: [item.value] } : undefined;
}

function proposal(text: string, branches: readonly JsonObject[]): string {
  const words = branches.flatMap((branch) => choicesOf(branch) ?? []);
  const meant = nearest(
    text,
    words.filter((word) => typeof word === "string"),
  );
  return meant === undefined ? "" : `. Did you mean '${meant}'?`;
}
