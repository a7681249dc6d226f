import { nearest } from "../../text/nearest.ts";
import { shortList } from "../../text/short-list.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import {
  SchemaBudget,
  alternativesOf,
  choicesOf,
  expectationOf,
  propertiesOf,
  resolved,
} from "./tool-schema.ts";

/**
 * How arguments differ from a tool's schema, in words. Only what can be checked in little time, and
 * without patterns: servers write the schemas. What is not understood counts as correct.
 */

const MAX_PROBLEMS = 5;
const MAX_ARGUMENTS = 100;
const MAX_ITEMS = 20;
const MAX_NAMED = 20;
/** Comparing takes time, and servers may describe any number of arguments. */
const MAX_COMPARED = 1000;
const MAX_DEPTH = 3;
const MAX_SHOWN_CHARS = 40;

export function argumentProblems(args: JsonObject, schema: unknown): readonly string[] {
  const problems: string[] = [];
  checkObject(
    args,
    { schema: resolved(schema, schema), root: schema, path: "", depth: 0 },
    problems,
  );
  return problems.slice(0, MAX_PROBLEMS);
}

/** Tools that list their arguments rarely accept others, whatever JSON Schema allows by default. */
export function allowsMore(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  // Patterns are not evaluated, so any name may match one.
  if (schema["patternProperties"] !== undefined) return true;
  const more = schema["additionalProperties"];
  if (more === false) return false;
  return more !== undefined || Object.keys(propertiesOf(schema)).length === 0;
}

export function unknownArgument(shown: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known.slice(0, MAX_COMPARED));
  if (meant !== undefined) return `${shown}: Unknown argument. Did you mean '${meant}'?`;
  return known.length === 0
    ? `${shown}: Unknown argument. The tool takes none`
    : `${shown}: Unknown argument. The tool takes ${shortList(known, MAX_NAMED)}`;
}

/** One missing argument is enough to reject the call. */
const MAX_MISSING = 20;

export function missingArguments(
  given: JsonObject,
  schema: unknown,
  root: unknown = schema,
  prefix = "",
): string[] {
  const required = isObject(schema) ? schema["required"] : undefined;
  if (!Array.isArray(required)) return [];
  const properties = propertiesOf(schema);
  return required
    .filter((name): name is string => typeof name === "string" && !Object.hasOwn(given, name))
    .slice(0, MAX_MISSING)
    .map((name) => `${prefix}${name}: Required (${expectationOf(properties[name], root)})`);
}

interface At {
  readonly schema: JsonObject;
  readonly root: unknown;
  readonly path: string;
  readonly depth: number;
}

function checkObject(value: JsonObject, at: At, problems: string[]): void {
  const { schema, root, path, depth } = at;
  const prefix = path === "" ? "" : `${path}.`;
  const properties = propertiesOf(schema);
  problems.push(...missingArguments(value, schema, root, prefix));
  const isStrict = !allowsMore(schema);
  for (const [key, member] of Object.entries(value).slice(0, MAX_ARGUMENTS)) {
    if (problems.length >= MAX_PROBLEMS) return;
    const shown = `${prefix}${key}`.slice(0, 2 * MAX_SHOWN_CHARS);
    if (Object.hasOwn(properties, key))
      checkValue(member, properties[key], { root, path: shown, depth: depth + 1 }, problems);
    else if (isStrict) problems.push(unknownArgument(shown, key, Object.keys(properties)));
  }
}

function checkValue(
  value: unknown,
  schema: unknown,
  at: Omit<At, "schema">,
  problems: string[],
): void {
  const { root, path, depth } = at;
  if (!isObject(schema) || depth > MAX_DEPTH) return;
  const branches = alternativesOf(schema, root, new SchemaBudget());
  const fitting = branches.filter((branch) => fits(value, branch));
  const [only] = fitting;
  if (only === undefined) {
    const proposal = typeof value === "string" ? nearestChoice(value, branches) : "";
    const expected = expectationOf(schema, root) + exceededLimit(value, branches);
    problems.push(`${path}: Expected ${expected}, got ${shownValue(value)}${proposal}`);
  } else if (fitting.length === 1 && isObject(value)) {
    checkObject(value, { ...at, schema: only }, problems);
  } else if (fitting.length === 1 && Array.isArray(value)) {
    for (const [i, item] of value.slice(0, MAX_ITEMS).entries()) {
      if (problems.length >= MAX_PROBLEMS) return;
      checkValue(item, only["items"], { root, path: `${path}[${i}]`, depth: depth + 1 }, problems);
    }
  }
}

function fits(value: unknown, branch: JsonObject): boolean {
  // OpenAPI's word for a type that includes null; servers made from OpenAPI documents write it.
  if (value === null && branch["nullable"] === true) return true;
  const choices = choicesOf(branch);
  if (choices !== undefined && !(typeof value === "object" && value !== null))
    return choices.includes(value);
  return hasType(value, branch["type"]) && isWithinLimits(value, branch);
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return true;
  }
}

function isWithinLimits(value: unknown, branch: JsonObject): boolean {
  return limitProblem(value, branch) === undefined;
}

/** What the limits of a schema require of a value of its type; undefined if it keeps to them. */
function limitProblem(value: unknown, branch: JsonObject): string | undefined {
  const outside = (size: number, limit: string, unit: string): string | undefined => {
    const [min, max] = [Number(branch[`min${limit}`] ?? NaN), Number(branch[`max${limit}`] ?? NaN)];
    const text = (count: number): string =>
      unit === "" ? `${count}` : `${count} ${unit}${count === 1 ? "" : "s"}`;
    if (size < min) return `at least ${text(min)}`;
    return size > max ? `at most ${text(max)}` : undefined;
  };
  if (typeof value === "number") return outside(value, "imum", "");
  if (typeof value === "string") return outside(value.length, "Length", "character");
  return Array.isArray(value) ? outside(value.length, "Items", "item") : undefined;
}

/** The limit that a value exceeds whose type is right. */
function exceededLimit(value: unknown, branches: readonly JsonObject[]): string {
  const limits = branches.flatMap((branch) =>
    choicesOf(branch) === undefined && hasType(value, branch["type"])
      ? (limitProblem(value, branch) ?? [])
      : [],
  );
  return limits[0] === undefined ? "" : ` (${limits[0]})`;
}

function nearestChoice(value: string, branches: readonly JsonObject[]): string {
  const words = branches.flatMap((branch) => choicesOf(branch) ?? []).slice(0, MAX_COMPARED);
  const meant = nearest(
    value,
    words.filter((word): word is string => typeof word === "string"),
  );
  return meant === undefined ? "" : `. Did you mean '${meant}'?`;
}

/** A short text for a value; the agent knows the rest. */
function shownValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, MAX_SHOWN_CHARS) : value);
  return typeof value === "string" && value.length > MAX_SHOWN_CHARS ? `${text}…` : text;
}
