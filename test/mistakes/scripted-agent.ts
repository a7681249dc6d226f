/**
 * An agent that takes every answer literally, so that runs can be compared. It
 *
 * 1. copies a call that an answer contains,
 * 2. otherwise changes what an answer names: a name that does not exist, a member of the wrong type
 *    or in the wrong place, a missing argument,
 * 3. otherwise looks the tool up with `search_tools` and makes the call that it had in mind.
 *
 * It knows the values, because the user gave them, but not where they belong.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { callTool, type Requests } from "../support/calls.ts";
import type { Mistake, ToolCall } from "./mistakes.ts";

export interface Run {
  readonly calls: number;
  /** All inputs and answers, from the mistake to the success. */
  readonly tokens: number;
}

type Input = Readonly<Record<string, unknown>>;

const MAX_CALLS = 8;

export async function runMistake(client: Requests, { first, meant }: Mistake): Promise<Run> {
  let next = first;
  let tokens = 0;
  for (let calls = 1; calls <= MAX_CALLS; calls++) {
    const { text, failed } = await ask(client, next);
    tokens += countTokens(JSON.stringify(next.input)) + countTokens(text);
    if (!failed && next.name !== "search_tools") return { calls, tokens };
    const hasLookedUp = next.name === "search_tools";
    next = hasLookedUp ? meant : (copied(text) ?? changed(text, next, meant) ?? lookUp(meant));
  }
  throw new Error(`no success after ${MAX_CALLS} calls: ${JSON.stringify(first)}`);
}

async function ask(
  client: Requests,
  { name, input }: ToolCall,
): Promise<{ text: string; failed: boolean }> {
  const { result, error } = await callTool(client, name, input);
  if (error !== undefined) return { text: error.message, failed: true };
  const { content, isError } = result as { content: { text: string }[]; isError?: boolean };
  return { text: content.map(({ text }) => text).join("\n"), failed: isError === true };
}

/** The call in an answer, unless it has placeholders. */
function copied(text: string): ToolCall | undefined {
  const [, name = "", rest = ""] = /Call (\w+) with (\{.*)/.exec(text) ?? [];
  if (rest === "" || rest.includes('"TOOLBOX"')) return undefined;
  for (let end = rest.length; end > 0; end = rest.lastIndexOf("}", end - 1)) {
    try {
      return { name, input: JSON.parse(rest.slice(0, end + 1)) as Input };
    } catch {
      // The call ends earlier.
    }
  }
  return undefined;
}

/** The call with everything changed that the answer names; undefined if it names nothing. */
function changed(text: string, { name, input }: ToolCall, meant: ToolCall): ToolCall | undefined {
  let edited: Input = input;
  const place = /Server '[^']*' is in toolbox '([^']*)'/.exec(text)?.[1];
  if (place !== undefined) edited = withToolbox(edited, place);
  for (const [, path = "", problem = ""] of text.matchAll(/([\w.]+): ([A-Z][^;]*)/g)) {
    const keys = path.split(".");
    if (problem.startsWith("Required")) edited = put(edited, keys, valueFor(keys, meant.input));
    else if (problem.startsWith("Unrecognized key")) edited = put(edited, keys, undefined);
    else if (problem.startsWith("Unknown argument")) edited = renamed(edited, keys, problem);
    else if (problem.startsWith("Expected"))
      edited = put(edited, keys, converted(keys, edited, meant.input));
  }
  return edited === input ? undefined : { name, input: edited };
}

function lookUp({ input }: ToolCall): ToolCall {
  const { tool, toolbox } = input as { tool?: { name: string }; toolbox?: string };
  const query = tool?.name.replaceAll("_", " ") ?? toolbox ?? "";
  return { name: "search_tools", input: { query, limit: 1, detail: "schema" } };
}

function withToolbox(input: Input, toolbox: string): Input {
  return "toolbox" in input ? { ...input, toolbox } : put(input, ["tool", "toolbox"], toolbox);
}

/** An object where an object is expected: of JSON text, or with the text as its name. */
function converted(keys: readonly string[], input: Input, meant: Input): unknown {
  const value = at(input, keys);
  if (keys[0] === "tool") return { name: value };
  if (keys[0] === "arguments") return typeof value === "string" ? JSON.parse(value) : value;
  return valueFor(keys, meant);
}

/** Arguments are named without `arguments` in descriptions of a tool. */
function valueFor(keys: readonly string[], meant: Input): unknown {
  return at(meant, keys) ?? at(meant, ["arguments", ...keys]);
}

function renamed(input: Input, keys: readonly string[], problem: string): Input {
  const meant = /Did you mean '([^']*)'/.exec(problem)?.[1];
  const value = at(input, ["arguments", ...keys]);
  const without = put(input, keys, undefined);
  return meant === undefined ? without : put(without, [meant], value);
}

function at(value: unknown, keys: readonly string[]): unknown {
  let found = value;
  for (const key of keys) found = (found as Input | undefined)?.[key];
  return found;
}

/** Sets or removes a member; one that is not part of the input itself is an argument. */
function put(input: Input, keys: readonly string[], value: unknown): Input {
  const [first = ""] = keys;
  const isOwn =
    first in input || ["tool", "toolbox", "arguments", "server", "name"].includes(first);
  return set(input, isOwn ? keys : ["arguments", ...keys], value);
}

function set(input: Input, [key = "", ...rest]: readonly string[], value: unknown): Input {
  if (rest.length > 0) return { ...input, [key]: set((input[key] ?? {}) as Input, rest, value) };
  const { [key]: _before, ...others } = input;
  return value === undefined ? others : { ...input, [key]: value };
}
