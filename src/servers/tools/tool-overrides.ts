import type { ToolOverride } from "../../config/types.ts";
import { nearest } from "../../text/nearest.ts";
import { memberText, withMembers } from "../../wire/members.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import type { ListedItem } from "../requests/list-reader.ts";

/**
 * `overrides` of a server: settings for single tools. Clients see only the changed definition; all
 * other bytes stay as the server wrote them.
 */

export type ToolOverrides = Readonly<Record<string, ToolOverride>>;

export interface OverriddenItem extends ListedItem {
  /** Arguments with values that the client can neither see nor change. */
  readonly pinned?: JsonObject;
}

/** The definition as clients see it. `name` is its name for clients. */
export function overridden(item: ListedItem, override: ToolOverride, name: string): OverriddenItem {
  const changes: Record<string, string> = {};
  if (name !== item.value["name"]) changes["name"] = JSON.stringify(name);
  if (override.description !== undefined)
    changes["description"] = JSON.stringify(override.description);
  const pinned = pinnedBy(override);
  if (pinned && isObject(item.value["inputSchema"]))
    changes["inputSchema"] = withoutProperties(writtenMember(item, "inputSchema"), pinned);
  const text = Object.keys(changes).length === 0 ? item.text : withMembers(item.text, changes);
  return { text, value: JSON.parse(text) as JsonObject, ...(pinned && { pinned }) };
}

function pinnedBy({ arguments: args }: ToolOverride): JsonObject | undefined {
  return args === undefined || Object.keys(args).length === 0 ? undefined : args;
}

/** Keywords with alternatives of the enclosing schema, about the same arguments. */
const COMBINATIONS = ["allOf", "anyOf", "oneOf"];
const MAX_COMBINATION_DEPTH = 4;

/** The text of a schema without any mention of these arguments. */
function withoutProperties(text: string, pinned: JsonObject, depth = 0): string {
  const schema = JSON.parse(text) as unknown;
  if (!isObject(schema)) return text;
  const changes: Record<string, string> = {};
  for (const key of ["properties", "dependentRequired", "dependentSchemas"]) {
    if (!isObject(schema[key])) continue;
    const gone = Object.keys(pinned).filter((name) => Object.hasOwn(schema[key] as object, name));
    if (gone.length > 0)
      changes[key] = withMembers(
        writtenMember({ text, value: schema }, key),
        Object.fromEntries(gone.map((name) => [name, undefined])),
      );
  }
  const { required } = schema;
  if (Array.isArray(required)) {
    const rest = required.filter((name) => !Object.hasOwn(pinned, String(name)));
    if (rest.length < required.length) changes["required"] = JSON.stringify(rest);
  }
  for (const key of COMBINATIONS) {
    const parts = schema[key];
    if (!Array.isArray(parts) || depth >= MAX_COMBINATION_DEPTH) continue;
    const without = parts.map((part) => withoutProperties(JSON.stringify(part), pinned, depth + 1));
    if (without.some((part, i) => part !== JSON.stringify(parts[i])))
      changes[key] = `[${without.join(",")}]`;
  }
  return Object.keys(changes).length === 0 ? text : withMembers(text, changes);
}

/** A member as it was written, if its text can be found. */
function writtenMember({ text, value }: ListedItem, key: string): string {
  return memberText(text, key) ?? JSON.stringify(value[key]);
}

/** The overrides for tools and arguments that the server does not have. */
export function overrideProblems(
  overrides: ToolOverrides,
  listed: readonly ListedItem[],
): readonly string[] {
  const tools = new Map(listed.map(({ value }) => [String(value["name"]), value]));
  return Object.entries(overrides).flatMap(([name, override]) => {
    const tool = tools.get(name);
    if (tool === undefined)
      return [`overrides: the server has no tool '${name}'${proposal(name, tools.keys())}`];
    const schema = tool["inputSchema"];
    const properties = isObject(schema) ? schema["properties"] : undefined;
    if (!isObject(properties)) return [];
    return Object.keys(override.arguments ?? {})
      .filter((argument) => !Object.hasOwn(properties, argument))
      .map(
        (argument) =>
          `overrides: tool '${name}' has no argument '${argument}'${proposal(argument, Object.keys(properties))}`,
      );
  });
}

function proposal(word: string, known: Iterable<string>): string {
  const near = nearest(word, known);
  return near === undefined ? "" : `. Did you mean '${near}'?`;
}
