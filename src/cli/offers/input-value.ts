import { resolve } from "node:path";

import { expandHome } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
import type { OfferInput } from "../../offers/offer.ts";
import { choices } from "../../text/choices.ts";

/** Refers to a variable or a secret as a whole. */
export const REFERENCE = /^\$\{[^{}]+\}$/;

/** `--set NAME=VALUE`, by name; NAME alone refers to the variable of that name. */
export function readSettings(
  given: readonly string[],
  inputs: readonly OfferInput[],
): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  for (const text of given) {
    const at = text.indexOf("=", 1);
    const name = at === -1 ? text : text.slice(0, at);
    const input = inputs.find((one) => one.name === name);
    const names = inputs.map((one) => one.name);
    if (input === undefined) throw usage(`It has no input '${name}'`, choices(name, names));
    if (at === -1 && !/^[A-Za-z_]\w*$/.test(name))
      throw usage(`--set takes ${name}=VALUE`, "NAME alone is for names of variables");
    const value = at === -1 ? `\${${name}}` : text.slice(at + 1);
    const before = values.get(name) ?? [];
    if (before.length > 0 && !input.isRepeated) throw usage(`${name} takes one value`);
    values.set(name, [...before, value]);
  }
  return values;
}

export interface PathContext {
  readonly cwd: string;
  readonly home: string;
}

/** The value as it is used, or why it is not allowed. The value is not repeated: it may be a secret. */
export function checkedValue(
  input: OfferInput,
  value: string,
  { cwd, home }: PathContext,
): { readonly value: string } | { readonly problem: string } {
  const { name, format, choices: allowed, min = -Infinity, max = Infinity } = input;
  if (value.includes("\0")) return { problem: `${name} contains a NUL character` };
  if (format === "flag") return /^(?:true|false)$/.test(value) ? { value } : notBoolean(name);
  // Its value is known only when the server is started.
  if (value.includes("${")) return { value };
  if (allowed.length > 0 && !allowed.includes(value))
    return { problem: `${name} must be one of ${allowed.join(", ")}` };
  if (format === "boolean" && !/^(?:true|false)$/.test(value)) return notBoolean(name);
  if (format === "number") {
    const number = value.trim() === "" ? Number.NaN : Number(value);
    if (!Number.isFinite(number)) return { problem: `${name} must be a number` };
    if (number < min || number > max) return { problem: `${name} must be from ${min} to ${max}` };
  }
  if (format === "path") return { value: resolve(cwd, expandHome(value, home)) };
  return { value };
}

const notBoolean = (name: string) => ({ problem: `${name} must be true or false` });

export function usage(reason: string, hint?: string): Error {
  return workbenchError("USAGE", { reason }, hint);
}
