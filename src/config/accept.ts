import { FORMATS, type FormatName } from "./formats.ts";
import { nameProblems } from "./names.ts";
import { CONFIG_RULES } from "./rules.generated.ts";
import type { Rule } from "./rule.ts";
import type { ParsedConfig } from "./schema.ts";
import { isObject } from "../text/json.ts";

/**
 * The check of a configuration at start-up. It knows only "valid, and here it is with its defaults"
 * and "not sure"; whoever hears the second asks the Zod schema, which can explain but takes longer
 * to load than everything else together. It interprets the JSON Schema generated from that schema
 * and never accepts what the schema would refuse.
 */

/** What a check answers instead of the value with its defaults. */
export const NOT_SURE = Symbol("not sure");

type Check = (value: unknown) => unknown;

let checkConfig: Check | undefined;

/** The configuration with its defaults, or undefined when it has to be looked at more closely. */
export function accept(config: unknown): ParsedConfig | undefined {
  checkConfig ??= compile(CONFIG_RULES);
  const checked = checkConfig(config);
  if (checked === NOT_SURE || nameProblems(checked).length > 0) return undefined;
  return checked as ParsedConfig;
}

/** Turns a rule into a function. Throws for a keyword that its kind of rule does not know. */
export function compile(rule: Rule): Check {
  const kind = kindOf(rule);
  for (const keyword of Object.keys(rule)) {
    if (keyword !== "default" && !KEYWORDS[kind].includes(keyword)) {
      throw new Error(`The keyword "${keyword}" is not known for a rule of kind "${kind}"`);
    }
  }
  return COMPILERS[kind](rule);
}

type Kind =
  | "anyOf"
  | "enum"
  | "const"
  | "object"
  | "array"
  | "string"
  | "integer"
  | "boolean"
  | "anything";

const KEYWORDS: Readonly<Record<Kind, readonly string[]>> = {
  anyOf: ["anyOf"],
  enum: ["type", "enum"],
  const: ["type", "const"],
  object: ["type", "properties", "required", "additionalProperties", "propertyNames"],
  array: ["type", "items"],
  string: ["type", "pattern", "format", "minLength", "maxLength"],
  integer: ["type", "minimum", "maximum"],
  boolean: ["type"],
  anything: [],
};

const COMPILERS: Readonly<Record<Kind, (rule: Rule) => Check>> = {
  anyOf: anyOfCheck,
  enum: (rule) => (value) => (rule.enum?.includes(value) ? value : NOT_SURE),
  const: (rule) => (value) => (value === rule.const ? value : NOT_SURE),
  object: objectCheck,
  array: arrayCheck,
  string: stringCheck,
  integer: integerCheck,
  boolean: () => (value) => (typeof value === "boolean" ? value : NOT_SURE),
  anything: () => (value) => value,
};

function kindOf(rule: Rule): Kind {
  if (rule.anyOf !== undefined) return "anyOf";
  if (rule.enum !== undefined) return "enum";
  if (rule.const !== undefined) return "const";
  const type = rule.type ?? "anything";
  if (!Object.hasOwn(COMPILERS, type)) throw new Error(`The type "${type}" is not known`);
  return type as Kind;
}

function anyOfCheck(rule: Rule): Check {
  const alternatives = (rule.anyOf ?? []).map(compile);
  return (value) => {
    for (const alternative of alternatives) {
      const checked = alternative(value);
      if (checked !== NOT_SURE) return checked;
    }
    return NOT_SURE;
  };
}

function objectCheck(rule: Rule): Check {
  const { properties, additionalProperties, propertyNames } = rule;
  if (additionalProperties) return recordCheck(compile(additionalProperties), propertyNames);
  const known = Object.entries(properties ?? {}).map(([key, property]) => {
    const check = compile(property);
    // A default is checked like a value, because defaults of objects have defaults inside. All
    // configurations share the result, so nobody may change it.
    const fallback =
      property.default === undefined ? undefined : Object.freeze(check(property.default));
    return { key, check, fallback, required: rule.required?.includes(key) ?? false };
  });
  const knownKeys = new Set(known.map(({ key }) => key));
  return (value) => {
    if (!isObject(value)) return NOT_SURE;
    for (const key of Object.keys(value)) if (!knownKeys.has(key)) return NOT_SURE;
    const result: Record<string, unknown> = {};
    for (const { key, check, fallback, required } of known) {
      const input = Object.hasOwn(value, key) ? value[key] : undefined;
      if (input === undefined) {
        if (required) return NOT_SURE;
        if (fallback !== undefined) result[key] = fallback;
        continue;
      }
      const checked = check(input);
      if (checked === NOT_SURE) return NOT_SURE;
      result[key] = checked;
    }
    return result;
  };
}

/** An object with any number of entries of one kind. It is copied only if one of them changes. */
function recordCheck(checkEntry: Check, names: Rule = {}): Check {
  const checkName = compile(names);
  return (value) => {
    if (!isObject(value)) return NOT_SURE;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      if (key === "__proto__" || checkName(key) === NOT_SURE) return NOT_SURE;
      const checked = checkEntry(value[key]);
      if (checked === NOT_SURE) return NOT_SURE;
      if (checked !== value[key]) (copy ??= { ...value })[key] = checked;
    }
    return copy ?? value;
  };
}

function arrayCheck(rule: Rule): Check {
  const checkItem = compile(rule.items ?? {});
  return (value) => {
    if (!Array.isArray(value)) return NOT_SURE;
    // Items of lists have no defaults inside, so that a valid list is its own result.
    return value.every((item) => checkItem(item) !== NOT_SURE) ? value : NOT_SURE;
  };
}

function stringCheck(rule: Rule): Check {
  const { minLength = 0, maxLength = Infinity } = rule;
  const pattern = rule.pattern === undefined ? undefined : new RegExp(rule.pattern);
  const hasFormat = rule.format === undefined ? undefined : formatCheck(rule.format);
  return (value) => {
    if (typeof value !== "string") return NOT_SURE;
    if (value.length < minLength || value.length > maxLength) return NOT_SURE;
    if (pattern !== undefined && !pattern.test(value)) return NOT_SURE;
    return hasFormat === undefined || hasFormat(value) ? value : NOT_SURE;
  };
}

function formatCheck(name: string): (text: string) => boolean {
  if (!Object.hasOwn(FORMATS, name)) throw new Error(`Unknown JSON Schema format: ${name}`);
  return FORMATS[name as FormatName];
}

function integerCheck(rule: Rule): Check {
  const { minimum = -Infinity, maximum = Infinity } = rule;
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum
      ? value
      : NOT_SURE;
}
