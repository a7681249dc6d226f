import type { ToolIdentifier } from "../../calls/identifier.ts";
import { tryParseWithinLimits } from "../../wire/json-limits.ts";
import { compact, elementsOf, membersOf } from "../../wire/members.ts";

/**
 * What a malformed input of `use_tool` probably means. Agents write the identifier as a path, leave
 * out a level of nesting or add one, put the tool's arguments beside `tool`, or write objects as
 * JSON text. The values are copied as text, so that large numbers stay what they are.
 */
export interface GivenCall extends Partial<ToolIdentifier> {
  /** The tool's arguments, as the text of a JSON object. */
  readonly args: string;
}

type Members = Map<string, string>;

const MAX_INPUT_CHARS = 64 * 1024;
const MAX_MEMBERS = 100;

/** Spellings of the members, without case and separators. */
const TOOLBOX = ["toolbox", "toolboxname"];
const SERVER = ["server", "servername", "mcpserver"];
const NAME = ["name", "tool", "toolname"];
const ARGUMENTS = [
  "arguments",
  "args",
  "params",
  "parameters",
  "input",
  "toolinput",
  "toolargs",
  "toolarguments",
];

/** Reads the text of an input that `use_tool` does not accept; undefined if it is not an object. */
export function givenCall(inputText: string): GivenCall | undefined {
  if (inputText.length > MAX_INPUT_CHARS) return undefined;
  const path = pathIn(inputText);
  if (path !== undefined) return { ...identifierIn([new Map([["tool", path]])]), args: "{}" };
  const outer = objectIn(inputText);
  const input = outer && withoutWrapper(withPlainTool(outer));
  if (input === undefined) return undefined;
  const listed = pathIn(input.get("tool"));
  if (listed !== undefined) input.set("tool", listed);
  const toolText = input.get("tool");
  const inner = toolText === undefined ? undefined : objectIn(toolText);
  if (inner !== undefined) input.delete("tool");
  const places = inner === undefined ? [input] : [inner, input];
  const identifier = identifierIn(places);
  const args = argumentsIn(places);
  // If there are explicit arguments, the members beside them are not arguments.
  const others = args.size > 0 ? [] : places;
  for (const place of others)
    for (const [key, value] of place)
      if (!args.has(key) && !isMissingName(place === inner, key, value)) args.set(key, value);
  const members = Array.from(args, ([key, value]) => `${JSON.stringify(key)}:${compact(value)}`);
  return { ...identifier, args: `{${members.join(",")}}` };
}

/** Splits `toolbox/server/name` or `toolbox__server__name`; the name may contain more separators. */
function splitPath(path: string): readonly string[] {
  const separator = path.includes("/") ? "/" : "__";
  const [first = "", second, ...rest] = path.split(separator);
  if (second === undefined || first === "" || second === "") return [path];
  return rest.length === 0 ? [first, second] : [first, second, rest.join(separator)];
}

/** Takes the names out of the objects in which they are. */
function identifierIn(places: readonly Members[]): Partial<ToolIdentifier> {
  const [first] = places;
  const whole = splitPath(stringIn(first?.get("tool")) ?? stringIn(first?.get("name")) ?? "");
  if (whole.length === 3) {
    const [toolbox, server, name] = whole as [string, string, string];
    // The names beside a path repeat it; with a path in `tool`, `name` may be an argument.
    for (const keys of [TOOLBOX, SERVER]) take(places, keys);
    if (take(places, ["tool"]) === undefined) take(places, ["name"]);
    // A path may end with a separator.
    return withNames(toolbox, server, name);
  }
  const toolbox = take(places, TOOLBOX);
  const server = take(places, SERVER);
  // With a server beside it, `tool` is the name.
  const name = take(places, NAME);
  const [a, b] = splitPath(server ?? toolbox ?? "");
  if (b !== undefined && (server === undefined || toolbox === undefined))
    return withNames(a, b, name);
  if (server === undefined && whole.length === 2) return withNames(toolbox, whole[0], whole[1]);
  return withNames(toolbox, server, name);
}

function withNames(
  toolbox: string | undefined,
  server: string | undefined,
  name: string | undefined,
): Partial<ToolIdentifier> {
  return { ...(toolbox && { toolbox }), ...(server && { server }), ...(name && { name }) };
}

function argumentsIn(places: readonly Members[]): Members {
  for (const place of places)
    for (const key of place.keys()) {
      const given = ARGUMENTS.includes(plainKey(key)) ? objectIn(place.get(key) ?? "") : undefined;
      const isEmpty = key === "arguments" && given === undefined;
      if (given === undefined && !isEmpty) continue;
      place.delete(key);
      return given ?? new Map();
    }
  return new Map();
}

/** Takes the first string with one of these keys. */
function take(places: readonly Members[], keys: readonly string[]): string | undefined {
  for (const place of places)
    for (const [key, value] of place) {
      const text = keys.includes(plainKey(key)) ? stringIn(value) : undefined;
      if (text === undefined) continue;
      place.delete(key);
      return text;
    }
  return undefined;
}

function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, "");
}

/** A name that was not filled in is not an argument. */
function isMissingName(isInTool: boolean, key: string, value: string): boolean {
  const isEmpty = value === "null" || value === '""';
  return (
    isInTool && isEmpty && [TOOLBOX, SERVER, NAME].some((keys) => keys.includes(plainKey(key)))
  );
}

/** The members with `tool` in its usual spelling. */
function withPlainTool(members: Members): Members {
  if (members.has("tool")) return members;
  const found = Array.from(members.keys()).find((key) => plainKey(key) === "tool");
  if (found === undefined) return members;
  return new Map(Array.from(members, ([key, value]) => [key === found ? "tool" : key, value]));
}

/** The input without an object around it that has only one member, such as `input`. */
function withoutWrapper(outer: Members): Members {
  const [only, ...others] = outer.values();
  const wrapped = others.length === 0 && !outer.has("tool") ? objectIn(only ?? "") : undefined;
  const inner = wrapped && withPlainTool(wrapped);
  return inner?.has("tool") || inner?.has("toolbox") ? inner : outer;
}

/** The members of an object, of an object written as JSON text, or of the only element of a list. */
function objectIn(text: string): Members | undefined {
  if (text.startsWith('"')) {
    const inner = stringIn(text)?.trim() ?? "";
    const isObject = inner.startsWith("{") && tryParseWithinLimits(inner) !== undefined;
    return isObject ? objectIn(inner) : undefined;
  }
  const elements = text.startsWith("[") ? elementsOf(text) : undefined;
  if (elements !== undefined)
    return elements.length === 1 && elements[0]?.startsWith("{")
      ? objectIn(elements[0])
      : undefined;
  const spans = membersOf(text);
  if (spans === undefined || spans.size > MAX_MEMBERS) return undefined;
  return new Map(Array.from(spans, ([key, { start, end }]) => [key, text.slice(start, end)]));
}

/** A path, as JSON, in a text that is only a path or a list of names. */
function pathIn(text: string | undefined): string | undefined {
  const names = text?.startsWith("[") ? elementsOf(text)?.map(stringIn) : [stringIn(text)];
  const isPath = names?.every((name) => name !== undefined && !/^\s*\{/.test(name)) === true;
  return isPath && names.length > 0 ? JSON.stringify(names.join("/")) : undefined;
}

function stringIn(text: string | undefined): string | undefined {
  const value = text?.startsWith('"') ? tryParseWithinLimits(text) : undefined;
  return typeof value === "string" ? value : undefined;
}
