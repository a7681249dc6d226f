import { type JsonObject, isObject } from "../../wire/messages.ts";
import { shortList } from "../../text/short-list.ts";

/**
 * The small part of JSON Schema that is needed to turn words into arguments. Servers write the
 * schemas: what is not understood here is left for the server to check.
 */

const MAX_DEPTH = 8;
/** Deeper nesting of lists would not help anyone. */
const MAX_LIST_DEPTH = 3;
const MAX_BRANCHES = 64;
const MAX_REFERENCE_CHARS = 256;
const MAX_SHOWN = 20;
const MAX_CHOICE_CHARS = 60;

/**
 * Limits how much of a schema is read for one argument. A schema may refer to itself, and a few
 * lines may describe millions of alternatives.
 */
export class SchemaBudget {
  #branches = MAX_BRANCHES;

  /** Whether one more branch may be read. */
  take(): boolean {
    return this.#branches-- > 0;
  }
}

/** Left for the server to check. */
const ANYTHING: JsonObject = {};

export function propertiesOf(schema: unknown): JsonObject {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? properties : {};
}

/** Resolves a reference into the same document. */
export function resolved(schema: unknown, root: unknown): JsonObject {
  let at = schema;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (!isObject(at)) return {};
    const reference = at["$ref"];
    if (typeof reference !== "string") return at;
    if (!reference.startsWith("#/") || reference.length > MAX_REFERENCE_CHARS) return {};
    at = reference
      .slice(2)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
        root,
      );
  }
  return {};
}

/** The branches of a union, or the schema itself. */
export function alternativesOf(
  schema: unknown,
  root: unknown,
  budget = new SchemaBudget(),
  depth = 0,
): readonly JsonObject[] {
  if (!budget.take()) return [ANYTHING];
  const own = resolved(schema, root);
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = own[keyword];
    if (Array.isArray(branches) && depth < MAX_DEPTH) {
      const shown = branches.slice(0, MAX_BRANCHES);
      return shown.flatMap((branch) => alternativesOf(branch, root, budget, depth + 1));
    }
  }
  const { type } = own;
  if (!Array.isArray(type)) return [own];
  return type.slice(0, MAX_SHOWN).map((one) => ({ ...own, type: one as unknown }));
}

/** Describes the expected value. */
export function expectationOf(
  schema: unknown,
  root: unknown,
  budget = new SchemaBudget(),
  depth = 0,
): string {
  const words = new Set<string>();
  for (const branch of alternativesOf(schema, root, budget)) {
    const { type } = branch;
    const choices = choicesOf(branch);
    if (choices !== undefined) words.add(`one of ${shortList(choices.map(choiceText), MAX_SHOWN)}`);
    else if (type === "array" && depth < MAX_LIST_DEPTH)
      words.add(`list of ${expectationOf(branch["items"], root, budget, depth + 1)}`);
    else words.add(typeof type === "string" ? type.slice(0, MAX_CHOICE_CHARS) : "any value");
  }
  return [...words].join(" or ");
}

function choiceText(choice: unknown): string {
  const text = typeof choice === "string" ? choice : JSON.stringify(choice);
  return text.slice(0, MAX_CHOICE_CHARS);
}

/** The allowed values, if the schema lists them. */
export function choicesOf(schema: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  return Object.hasOwn(schema, "const") ? [schema["const"]] : undefined;
}
