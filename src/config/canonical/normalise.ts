import {
  ENABLED_KEYS,
  EXCLUDED_TOOLS_KEYS,
  IGNORED_KEYS,
  INCLUDED_TOOLS_KEYS,
  RENAMED_KEYS,
  SERVER_TYPES,
  TIMEOUT_KEYS,
} from "./aliases.ts";
import type { isForeignSignIn, translateSignIn } from "./foreign-sign-in.ts";
import type { ConfigPath } from "../problems.ts";
import { isObject } from "../../text/json.ts";

/**
 * Converts `mcpServers` entries copied from other programs into the canonical form, before anything is
 * validated. It leaves what it does not recognise for the schema to check, and records the origin of
 * everything it moves, so that messages name the key in the file.
 */

export interface Normalised {
  readonly value: unknown;
  /** The path in the file for a path in the canonical form. */
  readonly originOf: (path: ConfigPath) => ConfigPath;
}

type Json = Readonly<Record<string, unknown>>;

/** Translates how other programs write sign-ins; without it, they are left for the schema to reject. */
export interface SignInTranslation {
  readonly isForeignSignIn: typeof isForeignSignIn;
  readonly translateSignIn: typeof translateSignIn;
}

export function normalise(config: unknown, signIns?: SignInTranslation): Normalised {
  const moved = new Map<string, ConfigPath>();
  const value = mapEntries(config, "toolboxes", (toolbox, path) =>
    mapEntries(toolbox, "mcpServers", (server, within) =>
      isObject(server) && !isCanonical(server, signIns)
        ? normaliseServer(server, [...path, ...within], moved, signIns)
        : server,
    ),
  );
  return { value, originOf: (path) => originOf(path, moved) };
}

function originOf(path: ConfigPath, moved: ReadonlyMap<string, ConfigPath>): ConfigPath {
  for (let length = path.length; moved.size > 0 && length > 0; length--) {
    const origin = moved.get(JSON.stringify(path.slice(0, length)));
    if (origin !== undefined) return [...origin, ...path.slice(length)];
  }
  return path;
}

/** Applies `change` to every entry of the group under `key`; copies only what changes. */
function mapEntries(
  parent: unknown,
  key: string,
  change: (entry: unknown, path: ConfigPath) => unknown,
): unknown {
  if (!isObject(parent) || !Object.hasOwn(parent, key)) return parent;
  const group = parent[key];
  if (!isObject(group)) return parent;
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(group)) {
    const changed = change(group[name], [key, name]);
    if (changed !== group[name]) (copy ??= { ...group })[name] = changed;
  }
  return copy === undefined ? parent : { ...parent, [key]: copy };
}

/** A server entry under construction. */
class Draft {
  readonly entry: Record<string, unknown> = {};
  readonly #path: ConfigPath;
  readonly #moved: Map<string, ConfigPath>;

  readonly #nested: ReadonlySet<string>;

  /** The keys in `nested` are those of an object under `transport`. */
  constructor(path: ConfigPath, moved: Map<string, ConfigPath>, nested: ReadonlySet<string>) {
    this.#path = path;
    this.#moved = moved;
    this.#nested = nested;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.entry, key);
  }

  set(key: string, value: unknown, from: string = key): void {
    this.entry[key] = value;
    if (from !== key || this.#nested.has(from)) this.remember([key], [from]);
  }

  /** Records that the value now at `to` was at `from`. */
  remember(to: ConfigPath, from: ConfigPath): void {
    const outer = this.#nested.has(String(from[0])) ? ["transport"] : [];
    this.#moved.set(JSON.stringify([...this.#path, ...to]), [...this.#path, ...outer, ...from]);
  }
}

function normaliseServer(
  original: Json,
  path: ConfigPath,
  moved: Map<string, ConfigPath>,
  signIns: SignInTranslation | undefined,
): Json {
  const { given, nested } = unfoldTransport(original);
  const draft = new Draft(path, moved, nested);
  for (const [key, value] of Object.entries(given)) {
    if (!isForeign(key, value, signIns)) draft.set(key, value);
  }
  for (const [key, value] of Object.entries(given)) {
    if (isTranslated(key, value, signIns)) translate(draft, key, value, signIns);
  }
  for (const [key, value] of Object.entries(given)) {
    if (EXCLUDED_TOOLS_KEYS.has(key) && Array.isArray(value)) excludeTools(draft, key, value);
  }
  normaliseType(draft);
  splitCommand(draft);
  for (const key of TEXT_KEYS) {
    if (hasScalars(draft.entry[key])) draft.entry[key] = scalarsAsText(draft.entry[key]);
  }
  return draft.entry;
}

/**
 * Moves the keys of an object under `transport` up, which is how Cline nests a connection. If one of
 * them also exists outside, the object is left for the schema to reject.
 */
function unfoldTransport(original: Json): {
  readonly given: Json;
  readonly nested: ReadonlySet<string>;
} {
  const { transport, ...rest } = original;
  const isUnambiguous =
    isObject(transport) && Object.keys(transport).every((key) => !Object.hasOwn(rest, key));
  if (!isUnambiguous) return { given: original, nested: new Set() };
  return { given: { ...rest, ...transport }, nested: new Set(Object.keys(transport)) };
}

/** True for an entry that needs no change, as most do not. */
function isCanonical(server: Json, signIns: SignInTranslation | undefined): boolean {
  for (const key of Object.keys(server)) {
    const value = server[key];
    if (isForeign(key, value, signIns)) return false;
    if (key === "type" || (key === "command" && Array.isArray(value))) return false;
    if (TEXT_KEYS.includes(key) && hasScalars(value)) return false;
  }
  return true;
}

/** True for a key that has to be translated or dropped. */
function isForeign(key: string, value: unknown, signIns: SignInTranslation | undefined): boolean {
  if (EXCLUDED_TOOLS_KEYS.has(key) && Array.isArray(value)) return true;
  // As a list, `tools` selects what to show; as an object, what a client approves automatically.
  if (key === "tools" && isObject(value)) return true;
  return IGNORED_KEYS.has(key) || isTranslated(key, value, signIns);
}

function isTranslated(
  key: string,
  value: unknown,
  signIns: SignInTranslation | undefined,
): boolean {
  return (
    RENAMED_KEYS.has(key) ||
    ENABLED_KEYS.has(key) ||
    TIMEOUT_KEYS.has(key) ||
    signIns?.isForeignSignIn(key, value) === true ||
    (INCLUDED_TOOLS_KEYS.has(key) && Array.isArray(value))
  );
}

/** Adds the canonical form of a key. One that contradicts an existing key is left to the schema. */
function translate(
  draft: Draft,
  key: string,
  value: unknown,
  signIns: SignInTranslation | undefined,
): void {
  const renamed = RENAMED_KEYS.get(key);
  if (renamed !== undefined) {
    if (draft.has(renamed) && saysTheSame(draft.entry[renamed], value)) return;
    setOnce(draft, renamed, value, key);
    // This spelling of `url` also determines which of the two HTTP transports is meant.
    if (key === "httpUrl" && !draft.has("type")) draft.set("type", "http", key);
  } else if (ENABLED_KEYS.has(key)) {
    const disabled = typeof value === "boolean" ? !value : value;
    if (!draft.has("disabled")) draft.set("disabled", disabled, key);
    else if (draft.entry["disabled"] !== disabled) draft.set(key, value);
  } else if (TIMEOUT_KEYS.has(key)) {
    translateTimeout(draft, key, value);
  } else if (signIns?.isForeignSignIn(key, value) === true) {
    addSignIn(draft, key, value, signIns);
  } else {
    setOnce(draft, "toolFilters", value, key);
  }
}

function setOnce(draft: Draft, key: string, value: unknown, from: string): void {
  if (draft.has(key)) draft.set(from, value);
  else draft.set(key, value, from);
}

/** Whether two values are equal, or two spellings of the same transport. */
function saysTheSame(a: unknown, b: unknown): boolean {
  return a === b || (serverType(a) !== undefined && serverType(a) === serverType(b));
}

function translateTimeout(draft: Draft, key: string, value: unknown): void {
  const { target, milliseconds } = TIMEOUT_KEYS.get(key) ?? {};
  const timeouts = draft.entry["timeouts"] ?? {};
  if (target === undefined || !isObject(timeouts) || Object.hasOwn(timeouts, target)) {
    draft.set(key, value);
    return;
  }
  const converted = typeof value === "number" ? milliseconds?.(value) : value;
  draft.set("timeouts", { ...timeouts, [target]: converted });
  draft.remember(["timeouts", target], [key]);
}

function addSignIn(
  draft: Draft,
  key: string,
  given: unknown,
  { translateSignIn }: SignInTranslation,
): void {
  if (draft.has("oauth")) {
    draft.set(key, given);
    return;
  }
  const { value, moved } = translateSignIn(key, given);
  if (value !== undefined) draft.set("oauth", value, key);
  for (const [to, from] of moved) draft.remember(to, from);
}

/** Appends exclusions to the inclusions, which are everything unless configured otherwise. */
function excludeTools(draft: Draft, key: string, names: readonly unknown[]): void {
  const included = draft.entry["toolFilters"] ?? ["*"];
  if (!Array.isArray(included)) return;
  names.forEach((_, index) => {
    draft.remember(["toolFilters", included.length + index], [key, index]);
  });
  const excluded = names.map((name) => (typeof name === "string" ? `!${name}` : name));
  draft.entry["toolFilters"] = [...(included as unknown[]), ...excluded];
}

/** Spells the transport in one of the three canonical ways; drops one that is too vague. */
function normaliseType(draft: Draft): void {
  const type = serverType(draft.entry["type"]);
  if (type === "remote") delete draft.entry["type"];
  else if (type !== undefined) draft.entry["type"] = type;
}

function serverType(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return SERVER_TYPES.get(value.toLowerCase().replace(/[^a-z]/g, ""));
}

/** Some clients write the program and its arguments as one list. */
function splitCommand(draft: Draft): void {
  const { command, args = [] } = draft.entry;
  if (!Array.isArray(command) || command.length === 0 || !Array.isArray(args)) return;
  const [program, ...leading] = command as unknown[];
  draft.entry["command"] = program;
  draft.entry["args"] = [...leading, ...(args as unknown[])];
  // The trailing ones first: their old paths are the new paths of the leading ones.
  args.forEach((_, index) => draft.remember(["args", leading.length + index], ["args", index]));
  leading.forEach((_, index) => draft.remember(["args", index], ["command", index + 1]));
  draft.remember(["command"], ["command", 0]);
}

/** Ports and switches are often written as numbers and booleans, but processes take only strings. */
const TEXT_KEYS: readonly string[] = ["args", "env", "headers"];

function isScalar(value: unknown): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

function hasScalars(value: unknown): value is object {
  if (Array.isArray(value)) return value.some(isScalar);
  if (!isObject(value)) return false;
  for (const key of Object.keys(value)) if (isScalar(value[key])) return true;
  return false;
}

function scalarsAsText(value: object): unknown {
  const text = (item: unknown): unknown => (isScalar(item) ? String(item) : item);
  if (Array.isArray(value)) return value.map(text);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, text(item)]));
}
