import { parseArgs } from "node:util";

import { type WorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { nearest } from "../../text/nearest.ts";
import type { Arguments, Command, Option } from "./command.ts";
import { COMMON_OPTIONS } from "./common-options.ts";

/** Parses the arguments of a command according to its row in the table. */
export function readArguments(
  command: Command,
  args: readonly string[],
  common = COMMON_OPTIONS,
): Arguments {
  const options = [...command.options, ...common];
  const help = `See mcp-workbench ${command.name} --help`;
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  const rest = end === -1 ? [] : args.slice(end + 1);
  const { values, positionals } = parseBy(options, own, help);
  if (end !== -1 && command.passes !== true) positionals.push(...rest);
  checkCount(command, positionals, help);
  const valueOf = (name: string): unknown => {
    if (options.some((option) => option.name === name)) return values[name];
    throw new Error(`The command ${command.name} has no option --${name}`);
  };
  return {
    words: positionals,
    rest: command.passes === true ? rest : [],
    hasRest: command.passes === true && end !== -1,
    flag: (name) => valueOf(name) === true,
    text: (name) => valueOf(name) as string | undefined,
    list: (name) => (valueOf(name) as string[] | undefined) ?? [],
  };
}

interface ParsedArguments {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: string[];
}

/**
 * Options and their values as separate words, as in the entries of clients: loading the parser of Node would take
 * a tenth of the time until a client is answered. Undefined for everything else, which is left to that parser.
 */
export function parsePlain(
  options: readonly Option[],
  args: readonly string[],
): ParsedArguments | undefined {
  const values: Record<string, string | true | string[]> = {};
  for (let i = 0; i < args.length; i++) {
    const option = options.find(({ name }) => args[i] === `--${name}`);
    if (option === undefined) return undefined;
    const { name, value, multiple } = option;
    if (value === undefined) {
      if (multiple) return undefined;
      values[name] = true;
      continue;
    }
    const given = args[++i];
    if (given === undefined || given.startsWith("-")) return undefined;
    const before = values[name];
    values[name] = multiple ? [...(Array.isArray(before) ? before : []), given] : given;
  }
  return { values, positionals: [] };
}

function parseBy(
  options: readonly Option[],
  args: readonly string[],
  help: string,
): ParsedArguments {
  const plain = parsePlain(options, args);
  if (plain !== undefined) return plain;
  const known = options.map(({ name, short, value, multiple }) => {
    const type = value === undefined ? ("boolean" as const) : ("string" as const);
    return [name, { type, ...(short && { short }), ...(multiple && { multiple }) }] as const;
  });
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(known),
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw refusal(error, options, help);
  }
}

function checkCount({ takes, usage }: Command, words: readonly string[], help: string): void {
  const [least, most] = takes;
  if (words.length >= least && words.length <= most) return;
  const reason =
    words.length < least
      ? `Missing argument. Usage: mcp-workbench ${usage[0]}`
      : `Unexpected argument '${words[most]}'`;
  throw workbenchError("USAGE", { reason }, help);
}

/** An error of `parseArgs` in one sentence, with the option that was probably meant. */
function refusal(error: unknown, options: readonly Option[], help: string): WorkbenchError {
  const [reason = ""] = reasonOf(error).split(/\n|\. (?=[A-Z])/);
  const valueless = /^Option '(?:-\w, )?--([\w-]+)(?: <value>)?' argument (?:missing|is)/.exec(
    reason,
  )?.[1];
  const option = options.find(({ name }) => name === valueless);
  if (option !== undefined)
    return workbenchError(
      "USAGE",
      { reason: `--${option.name} needs a value: --${option.name} ${option.value}` },
      help,
      error,
    );
  const unknown = /^Unknown option '--?([^']+)'/.exec(reason)?.[1];
  const names = options.map(({ name }) => name);
  const meant = unknown === undefined ? undefined : nearest(unknown, names);
  const hint = meant === undefined ? help : `Did you mean '--${meant}'?`;
  return workbenchError("USAGE", { reason: reason.replace(/\.$/, "") }, hint, error);
}
