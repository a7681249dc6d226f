import type { z } from "zod";
import { nearest } from "../../text/nearest.ts";

type Issue = z.core.$ZodIssue;

/**
 * What is wrong with a value and what to write instead. The value itself is never quoted: it may be
 * a secret in the wrong place.
 */
export function valueSentence(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return typeSentence(issue.expected, value);
    case "invalid_value":
      return choiceSentence(issue.values, value);
    case "too_small":
      if (issue.origin === "string") return "cannot be empty. Enter a value";
      if (issue.origin === "array") return "cannot be empty. Add a value to the list";
      return `is too small. Write ${issue.minimum} or more`;
    case "too_big":
      return `is too large. Write ${issue.maximum} or less`;
    default:
      return issue.message;
  }
}

const EXPECTED: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  string: ["a string", "Put it in double quotes"],
  int: ["a whole number", "Write it without quotes or decimals"],
  number: ["a whole number", "Write it without quotes or decimals"],
  boolean: ["true or false", "Write it without quotes"],
  array: ["a list", "Write [ … ]"],
  object: ["an object", "Write { … }"],
  record: ["an object", "Write { … }"],
};

function typeSentence(expected: string, value: unknown): string {
  const [what, fix] = EXPECTED[expected] ?? [expected, "Correct it"];
  if (value === undefined) return `is missing: expected ${what}. Add it`;
  const quotable = ["number", "boolean"].includes(typeof value);
  const advice = expected === "string" && !quotable ? "Write a string in double quotes" : fix;
  return `expected ${what}, got ${typeName(value)}. ${advice}`;
}

function choiceSentence(values: readonly unknown[], value: unknown): string {
  const choices = values.map(String);
  const list = choices.map((choice) => JSON.stringify(choice)).join(" or ");
  if (value === undefined) return `is missing: expected ${list}. Add it`;
  const meant = typeof value === "string" ? nearest(value, choices) : undefined;
  const advice =
    meant === undefined ? "Write one of these" : `Did you mean ${JSON.stringify(meant)}?`;
  return `expected ${list}. ${advice}`;
}

export function typeName(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return Number.isInteger(value) ? "a number" : "a fraction";
  return `a ${typeof value}`;
}
