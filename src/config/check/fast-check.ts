import { FORMATS, type FormatName } from "./formats.ts";
import { nameProblems } from "./names.ts";
import { CONFIG_RULES } from "./rules.generated.ts";
import type { Rule } from "./rule.ts";
import { perUserProblems } from "../per-user.ts";
import type { ParsedConfig } from "../schema.ts";
import { isObject } from "../../text/json.ts";

/**
 * The check of a configuration at start-up. It either returns the configuration with its defaults or
 * cannot decide; the caller then asks the Zod schema, which also explains what is wrong. It
 * interprets the JSON Schema generated from that schema and never accepts what the schema rejects.
 * At start-up it does not know the settings of sign-ins and secret commands (`ALL_RULES` does).
 *
 * Why not use only Zod? Processor time from the start to the answer, medians of alternating starts, with
 * this check → with Zod instead:
 * - `initialize`: 49 ms → 122 ms, with 200 servers 55 ms → 145 ms
 * - `server/discover`, the first request of a modern client: 89 ms → 167 ms, with 200 servers 100 ms → 183 ms
 * - `tools/list`: 86 ms → 162 ms, with 200 servers 114 ms → 189 ms
 * If `initialize` were answered from the outline before the check, everything after it would still cost as
 * much, and Zod would stay in memory: 46.6 MB → 49.4 MB, with 1,000 servers 58.4 MB → 65.4 MB.
 * Clients would also see a workbench with an invalid file connect before it exits.
 */

/** Returned by a check instead of the value with its defaults. */
export const UNDECIDED = Symbol("undecided");

type Check = (value: unknown) => unknown;

const compiled = new WeakMap<Rule, Check>();

/** The configuration with its defaults, or undefined if only the Zod schema can decide. */
export function fastCheck(config: unknown, rules: Rule = CONFIG_RULES): ParsedConfig | undefined {
  let check = compiled.get(rules);
  if (check === undefined) compiled.set(rules, (check = compile(rules)));
  const checked = check(config);
  if (checked === UNDECIDED || nameProblems(checked).length > 0) return undefined;
  const parsed = checked as ParsedConfig;
  return perUserProblems(parsed).length > 0 ? undefined : parsed;
}

/** Turns a rule into a function. Throws for a keyword that this kind of rule does not support. */
export function compile(rule: Rule): Check {
  const kind = kindOf(rule);
  for (const keyword of Object.keys(rule)) {
    if (keyword !== "default" && !KEYWORDS[kind].includes(keyword)) {
      throw new Error(`The keyword "${keyword}" is not supported in a rule of kind "${kind}"`);
    }
  }
  return COMPILERS[kind](rule);
}

/** Most configurations have few of all possible settings. */
function compileOnUse(rule: Rule): Check {
  let check: Check | undefined;
  return (value) => (check ??= compile(rule))(value);
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
  array: ["type", "items", "minItems"],
  string: ["type", "pattern", "format", "minLength", "maxLength"],
  integer: ["type", "minimum", "maximum"],
  boolean: ["type"],
  anything: [],
};

const COMPILERS: Readonly<Record<Kind, (rule: Rule) => Check>> = {
  anyOf: anyOfCheck,
  enum: (rule) => (value) => (rule.enum?.includes(value) ? value : UNDECIDED),
  const: (rule) => (value) => (value === rule.const ? value : UNDECIDED),
  object: objectCheck,
  array: arrayCheck,
  string: stringCheck,
  integer: integerCheck,
  boolean: () => (value) => (typeof value === "boolean" ? value : UNDECIDED),
  anything: () => (value) => value,
};

function kindOf(rule: Rule): Kind {
  if (rule.anyOf !== undefined) return "anyOf";
  if (rule.enum !== undefined) return "enum";
  if (rule.const !== undefined) return "const";
  const type = rule.type ?? "anything";
  if (!Object.hasOwn(COMPILERS, type)) throw new Error(`The type "${type}" is not supported`);
  return type as Kind;
}

function anyOfCheck(rule: Rule): Check {
  const alternatives = (rule.anyOf ?? []).map(compile);
  return (value) => {
    for (const alternative of alternatives) {
      const checked = alternative(value);
      if (checked !== UNDECIDED) return checked;
    }
    return UNDECIDED;
  };
}

function objectCheck(rule: Rule): Check {
  const { properties, additionalProperties, propertyNames } = rule;
  if (additionalProperties) return recordCheck(compile(additionalProperties), propertyNames);
  const known = Object.entries(properties ?? {}).map(([key, property]) => {
    const check = compileOnUse(property);
    // A default is checked like a value, because the default of an object has defaults inside. It
    // is frozen because all configurations share it.
    const fallback =
      property.default === undefined ? undefined : Object.freeze(check(property.default));
    return { key, check, fallback, required: rule.required?.includes(key) ?? false };
  });
  const knownKeys = new Set(known.map(({ key }) => key));
  return (value) => {
    if (!isObject(value)) return UNDECIDED;
    for (const key of Object.keys(value)) if (!knownKeys.has(key)) return UNDECIDED;
    const result: Record<string, unknown> = {};
    for (const { key, check, fallback, required } of known) {
      const input = Object.hasOwn(value, key) ? value[key] : undefined;
      if (input === undefined) {
        if (required) return UNDECIDED;
        if (fallback !== undefined) result[key] = fallback;
        continue;
      }
      const checked = check(input);
      if (checked === UNDECIDED) return UNDECIDED;
      result[key] = checked;
    }
    return result;
  };
}

/** An object with any number of entries of one kind. It is copied only if an entry changes. */
function recordCheck(checkEntry: Check, names: Rule = {}): Check {
  const checkName = compile(names);
  return (value) => {
    if (!isObject(value)) return UNDECIDED;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      if (key === "__proto__" || checkName(key) === UNDECIDED) return UNDECIDED;
      const checked = checkEntry(value[key]);
      if (checked === UNDECIDED) return UNDECIDED;
      if (checked !== value[key]) (copy ??= { ...value })[key] = checked;
    }
    return copy ?? value;
  };
}

function arrayCheck(rule: Rule): Check {
  const checkItem = compile(rule.items ?? {});
  const { minItems = 0 } = rule;
  return (value) => {
    if (!Array.isArray(value) || value.length < minItems) return UNDECIDED;
    // Items of lists have no defaults inside, so a valid list is its own result.
    return value.every((item) => checkItem(item) !== UNDECIDED) ? value : UNDECIDED;
  };
}

function stringCheck(rule: Rule): Check {
  const { minLength = 0, maxLength = Infinity } = rule;
  const pattern = rule.pattern === undefined ? undefined : new RegExp(rule.pattern);
  const hasFormat = rule.format === undefined ? undefined : formatCheck(rule.format);
  return (value) => {
    if (typeof value !== "string") return UNDECIDED;
    if (value.length < minLength || value.length > maxLength) return UNDECIDED;
    if (pattern !== undefined && !pattern.test(value)) return UNDECIDED;
    return hasFormat === undefined || hasFormat(value) ? value : UNDECIDED;
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
      : UNDECIDED;
}
