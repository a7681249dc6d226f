import { isObject, type JsonObject } from "../../../text/json.ts";
import { draftOf } from "./drafts.ts";
import type { Draft, Field, FieldProblem } from "./field.ts";
import { readDraft } from "./read-draft.ts";

export interface Arguments {
  /** Undefined if there is a problem. */
  readonly value: JsonObject | undefined;
  /** The same as JSON, with all digits that were entered; empty if there is a problem. */
  readonly text: string;
  readonly problems: readonly FieldProblem[];
}

/** The arguments of a call, from the form or, if the user prefers that, from JSON. */
export function readArguments(field: Field, draft: Draft, json: string | undefined): Arguments {
  if (json !== undefined) return readJson(json);
  const { value, problems } = readDraft(field, draft);
  if (problems.length > 0) return { value: undefined, text: "", problems };
  if (!isObject(value)) return refused(`enter an object: {"name": "value"}`);
  // What is entered as JSON as a whole is sent as it was entered.
  const text = field.kind === "json" && typeof draft === "string" ? draft : JSON.stringify(value);
  return { value, text, problems };
}

function readJson(json: string): Arguments {
  try {
    const text = json.trim() === "" ? "{}" : json;
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value, text, problems: [] } : refused("enter an object: { … }");
  } catch (error) {
    return refused(`this is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}

function refused(why: string): Arguments {
  return { value: undefined, text: "", problems: [{ path: "", message: `Arguments: ${why}` }] };
}

/** What a user would have to enter for arguments written as JSON, if the form has a field for everything. */
export function draftFromJson(
  field: Field,
  json: string,
): { readonly draft: Draft | undefined; readonly problems: readonly FieldProblem[] } {
  const { value, problems } = readJson(json);
  if (value === undefined) return { draft: undefined, problems };
  const draft = draftOf(field, value);
  const read = readDraft(field, draft);
  const kept = isObject(read.value) ? read.value : {};
  // What is in the form and not allowed there is not lost: the form says so.
  const isWrong = (key: string): boolean =>
    isEntered(draft, key) && read.problems.some(({ path }) => `${path}/`.startsWith(`/${key}/`));
  const lost = Object.keys(value).find((key) => !isSame(value[key], kept[key]) && !isWrong(key));
  if (lost === undefined) return { draft, problems };
  return { draft: undefined, ...refused(`the form has no field for the value of ${lost}`) };
}

function isEntered(draft: Draft, key: string): boolean {
  return typeof draft === "object" && "members" in draft && draft.members[key] !== "";
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** The same value with the members of objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, sorted(one)]);
}
