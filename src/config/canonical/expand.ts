import type { ConfigPath, Problem } from "../problems.ts";

/**
 * Variables in the texts of a configuration:
 *
 *   ${NAME}            the variable NAME of the environment (also written ${env:NAME})
 *   ${NAME:-default}   the same, or the default when it is not set or empty
 *   ${keychain:NAME}   the secret NAME of the keychain
 *   $${                a literal ${
 *
 * One pass over each text and no shell: the value of a variable is never expanded again.
 */

export type Environment = Readonly<Record<string, string | undefined>>;

/** Values that win over the environment; those from the keychain have a name with its prefix. */
export type StoredValues = ReadonlyMap<string, string>;

export const KEYCHAIN_PREFIX = "keychain:";

/** One reference to a variable; without a value if it is not set and has no default. */
export interface VariableUse {
  readonly path: ConfigPath;
  /** With the prefix, if it refers to the keychain. */
  readonly name: string;
  readonly value: string | undefined;
}

export interface Expanded {
  readonly value: unknown;
  readonly uses: readonly VariableUse[];
  readonly problems: readonly Problem[];
}

const VARIABLE = /^(?:env:)?((?:(?<!env:)keychain:)?[A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/;
const NOTHING: StoredValues = new Map();

/**
 * Expands all strings of a configuration, except keys. It works in place: the value was parsed for
 * this purpose, and copying a large one would take longer than everything else.
 */
export function expand(value: unknown, env: Environment, stored: StoredValues = NOTHING): Expanded {
  const uses: VariableUse[] = [];
  const problems: Problem[] = [];
  const path: (string | number)[] = [];
  const listener: ExpansionListener = {
    used: (name, found) => uses.push({ path: [...path], name, value: found }),
    malformed: (message) => problems.push({ path: [...path], at: "value", message }),
  };
  const visit = (node: unknown): unknown => {
    if (typeof node === "string") return expandText(node, env, listener, stored);
    if (Array.isArray(node)) visitList(node);
    else visitObject(node as Record<string, unknown>);
    return node;
  };
  const visitList = (list: unknown[]): void => {
    for (let index = 0; index < list.length; index++) {
      if (isSettled(list[index])) continue;
      path.push(index);
      list[index] = visit(list[index]);
      path.pop();
    }
  };
  const visitObject = (object: Record<string, unknown>): void => {
    for (const key of Object.keys(object)) {
      const child = object[key];
      if (isSettled(child)) continue;
      path.push(key);
      const expanded = visit(child);
      path.pop();
      if (expanded !== child) object[key] = expanded;
    }
  };
  const expanded = isSettled(value) ? value : visit(value);
  return { value: expanded, uses, problems };
}

/** True for a value with nothing to expand, like most of a configuration. */
function isSettled(node: unknown): boolean {
  return typeof node === "string"
    ? !node.includes("${")
    : typeof node !== "object" || node === null;
}

export interface ExpansionListener {
  used(name: string, value: string | undefined): void;
  malformed(message: string): void;
}

/** Expands one text. A reference that cannot be resolved is reported and left as it is written. */
export function expandText(
  text: string,
  env: Environment,
  listener: ExpansionListener,
  stored: StoredValues = NOTHING,
): string {
  let result = "";
  let done = 0;
  for (let start = text.indexOf("${"); start !== -1; start = text.indexOf("${", done)) {
    if (start > done && text[start - 1] === "$") {
      result += `${text.slice(done, start - 1)}\${`;
      done = start + 2;
      continue;
    }
    const brace = text.indexOf("}", start);
    const end = brace === -1 ? text.length : brace + 1;
    const value = resolveReference(text.slice(start + 2, end), listener, (name) => {
      return stored.get(name) ?? (Object.hasOwn(env, name) ? env[name] : undefined);
    });
    result += text.slice(done, start) + (value ?? text.slice(start, end));
    done = end;
  }
  return result + text.slice(done);
}

/** The value of a reference; `written` is the part after `${`, including its brace. */
function resolveReference(
  written: string,
  listener: ExpansionListener,
  valueOf: (name: string) => string | undefined,
): string | undefined {
  const closed = written.endsWith("}");
  const inside = closed ? written.slice(0, -1) : written;
  const match = closed ? VARIABLE.exec(inside) : null;
  const [, name, fallback] = match ?? [];
  if (name === undefined || fallback?.includes("${")) {
    listener.malformed(adviceFor(inside, closed));
    return undefined;
  }
  const found = valueOf(name);
  const isUnset = found === undefined || found === "";
  const value = fallback !== undefined && isUnset ? fallback : found;
  listener.used(name, value);
  return value;
}

/** What is wrong with a reference. Its text may contain a secret and is not quoted. */
function adviceFor(inside: string, closed: boolean): string {
  if (inside.includes("${")) {
    return "a default cannot refer to another variable. Write a plain default after ':-'";
  }
  if (!closed) return "'${' has no closing '}'. Write ${NAME}, or $${ for a literal '${'";
  if (inside.startsWith("input:")) {
    return "'${input:…}' prompts for input in an editor, which the workbench cannot do. Use an environment variable: ${NAME}";
  }
  return "'${…}' does not contain a variable name. Write ${NAME} or ${NAME:-default}, or $${ for a literal '${'";
}
