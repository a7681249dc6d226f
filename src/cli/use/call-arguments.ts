import { workbenchError } from "../../errors.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import { coerce } from "./coerce.ts";
import {
  allowsMore,
  missingArguments,
  unknownArgument,
} from "../../workbench/meta-tools/argument-problems.ts";
import { propertiesOf, resolved } from "../../workbench/meta-tools/tool-schema.ts";

/**
 * Parses words like `path=notes.txt` and converts each value to the type in the tool's schema. All
 * problems are reported together; `hint` refers to the description of the tool.
 */
export function argumentsFrom(
  words: readonly string[],
  schema: unknown,
  given: JsonObject,
  hint: string,
): JsonObject {
  const problems: string[] = [];
  const result: Record<string, unknown> = { ...given };
  const groups = grouped(words, problems);
  for (const [name, values] of groups) assign(result, schema, name, values, problems);
  problems.push(...missingArguments({ ...Object.fromEntries(groups), ...result }, schema));
  if (problems.length > 0)
    throw workbenchError("INVALID_PARAMETERS", { reason: problems.join("; ") }, hint);
  return result;
}

function grouped(words: readonly string[], problems: string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) {
      problems.push(`'${word}' is not of the form name=value`);
      continue;
    }
    const name = word.slice(0, at);
    groups.set(name, [...(groups.get(name) ?? []), word.slice(at + 1)]);
  }
  return groups;
}

/** Sets one argument; `outer.inner` sets a field of an object unless the tool has an argument of that name. */
function assign(
  target: Record<string, unknown>,
  schema: unknown,
  name: string,
  values: readonly string[],
  problems: string[],
  prefix = "",
): void {
  const properties = propertiesOf(schema);
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const dot = name.indexOf(".");
  const outer = name.slice(0, Math.max(0, dot));
  if (own === undefined && dot > 0 && Object.hasOwn(properties, outer)) {
    const inner = { ...(isObject(target[outer]) ? target[outer] : {}) };
    target[outer] = inner;
    const below = resolved(properties[outer], schema);
    assign(inner, below, name.slice(dot + 1), values, problems, `${prefix}${outer}.`);
    return;
  }
  if (own === undefined && !allowsMore(schema)) {
    problems.push(unknownArgument(prefix + name, name, Object.keys(properties)));
    return;
  }
  const outcome = coerce(values, own, schema);
  if ("value" in outcome) target[name] = outcome.value;
  else problems.push(`${prefix}${name}: ${outcome.problem}`);
}
