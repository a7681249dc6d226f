import { isObject, type JsonObject } from "../../../text/json.ts";
import type { Draft, Field, FieldProblem } from "./field.ts";
import { readDraft } from "./read-draft.ts";

export interface Arguments {
  /** Undefined if there is a problem. */
  readonly value: JsonObject | undefined;
  readonly problems: readonly FieldProblem[];
}

/** The arguments of a call, from the form or, if the user prefers that, from JSON. */
export function readArguments(field: Field, draft: Draft, json: string | undefined): Arguments {
  if (json !== undefined) return readJson(json);
  const { value, problems } = readDraft(field, draft);
  if (problems.length > 0) return { value: undefined, problems };
  return isObject(value) ? { value, problems } : refused(`enter an object: {"name": "value"}`);
}

function readJson(json: string): Arguments {
  try {
    const value: unknown = JSON.parse(json.trim() === "" ? "{}" : json);
    return isObject(value) ? { value, problems: [] } : refused("enter an object: { … }");
  } catch (error) {
    return refused(`this is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}

function refused(why: string): Arguments {
  return { value: undefined, problems: [{ path: "", message: `Arguments: ${why}` }] };
}
