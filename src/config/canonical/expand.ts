import type { ConfigPath, Problem } from "../problems.ts";

/**
 * Variables in the texts of a configuration:
 *
 *   ${NAME}            the variable NAME of the environment (also written ${env:NAME})
 *   ${NAME:-default}   the same, or the default when it is not set or empty
 *   ${keychain:NAME}   the secret NAME of the keychain
 *   ${file:PATH}       the content of a file
 *   ${command:NAME}    what the secret command NAME prints
 *   $${                a literal ${
 *
 * One pass over each text and no shell: the value of a variable is never expanded again. The last
 * three are secrets. They are only recorded here: a server gets their values when it is started. Their
 * syntax is in a file of its own, which few configurations need; without it they are malformed.
 */

export type Environment = Readonly<Record<string, string | undefined>>;

/** Values that win over the environment. */
export type StoredValues = ReadonlyMap<string, string>;

/** One reference to a variable; without a value if it is not set and has no default. */
export interface VariableUse {
  readonly path: ConfigPath;
  readonly name: string;
  readonly value: string | undefined;
}

/** A reference to a secret as it is written. */
export interface WrittenSecret {
  readonly kind: "keychain" | "file" | "command";
  /** The name, or the path of the file. */
  readonly name: string;
  readonly fallback: string | undefined;
}

/** A text with references to secrets, in parts. The configuration keeps it as it is written. */
export interface SecretUse {
  readonly path: ConfigPath;
  readonly parts: readonly (string | WrittenSecret)[];
}

/** What is known about references that are not variables. */
export interface SecretSyntax {
  /** The secret that a reference names; undefined for a variable and for a malformed one. */
  secretIn(written: string): WrittenSecret | undefined;
  /** What is wrong with a reference. */
  adviceFor(inside: string, closed: boolean): string;
}

export interface ExpansionSource {
  readonly stored?: StoredValues;
  readonly syntax?: SecretSyntax | undefined;
}

export interface Expanded {
  readonly value: unknown;
  readonly uses: readonly VariableUse[];
  readonly secrets: readonly SecretUse[];
  readonly problems: readonly Problem[];
}

const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/;
const NOTHING: StoredValues = new Map();

/**
 * Expands all strings of a configuration, except keys. It works in place: the value was parsed for
 * this purpose, and copying a large one would take longer than everything else.
 */
export function expand(
  value: unknown,
  env: Environment,
  stored: StoredValues = NOTHING,
  syntax?: SecretSyntax,
): Expanded {
  const uses: VariableUse[] = [];
  const secrets: SecretUse[] = [];
  const problems: Problem[] = [];
  const path: (string | number)[] = [];
  const listener: ExpansionListener = {
    used: (name, found) => uses.push({ path: [...path], name, value: found }),
    refersTo: (parts) => secrets.push({ path: [...path], parts }),
    malformed: (message) => problems.push({ path: [...path], at: "value", message }),
  };
  const visit = (node: unknown): unknown => {
    if (typeof node === "string") return expandText(node, env, listener, { stored, syntax });
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
  return { value: expanded, uses, secrets, problems };
}

/** True for a value with nothing to expand, like most of a configuration. */
function isSettled(node: unknown): boolean {
  return typeof node === "string"
    ? !node.includes("${")
    : typeof node !== "object" || node === null;
}

export interface ExpansionListener {
  used(name: string, value: string | undefined): void;
  /** The text refers to secrets. */
  refersTo(parts: SecretUse["parts"]): void;
  malformed(message: string): void;
}

/** Expands one text. A reference that cannot be resolved is reported and left as it is written. */
export function expandText(
  text: string,
  env: Environment,
  listener: ExpansionListener,
  { stored = NOTHING, syntax }: ExpansionSource = {},
): string {
  const parts: (string | WrittenSecret)[] = [];
  let result = "";
  let done = 0;
  /** Where the text after the last secret begins in the result. */
  let plain = 0;
  for (let start = text.indexOf("${"); start !== -1; start = text.indexOf("${", done)) {
    if (start > done && text[start - 1] === "$") {
      result += `${text.slice(done, start - 1)}\${`;
      done = start + 2;
      continue;
    }
    const brace = text.indexOf("}", start);
    const end = brace === -1 ? text.length : brace + 1;
    const secret = syntax?.secretIn(text.slice(start + 2, end));
    if (secret !== undefined) {
      result += text.slice(done, start);
      parts.push(result.slice(plain), secret);
      result += text.slice(start, end);
      plain = result.length;
      done = end;
      continue;
    }
    const valueOf = (name: string): string | undefined =>
      stored.get(name) ?? (Object.hasOwn(env, name) ? env[name] : undefined);
    const value = resolveReference(text.slice(start + 2, end), listener, { valueOf, syntax });
    result += text.slice(done, start) + (value ?? text.slice(start, end));
    done = end;
  }
  result += text.slice(done);
  if (parts.length > 0) listener.refersTo([...parts, result.slice(plain)]);
  return result;
}

/** The value of a reference; `written` is the part after `${`, including its brace. */
function resolveReference(
  written: string,
  listener: ExpansionListener,
  source: {
    readonly valueOf: (name: string) => string | undefined;
    readonly syntax: SecretSyntax | undefined;
  },
): string | undefined {
  const closed = written.endsWith("}");
  const inside = closed ? written.slice(0, -1) : written;
  const match = closed ? VARIABLE.exec(inside) : null;
  const [, name, fallback] = match ?? [];
  if (name === undefined || fallback?.includes("${")) {
    listener.malformed(source.syntax?.adviceFor(inside, closed) ?? "");
    return undefined;
  }
  const found = source.valueOf(name);
  const isUnset = found === undefined || found === "";
  const value = fallback !== undefined && isUnset ? fallback : found;
  listener.used(name, value);
  return value;
}
