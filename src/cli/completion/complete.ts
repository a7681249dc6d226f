import { readTokens, tokenFile } from "../../access/tokens/token-file.ts";
import { CLIENTS } from "../../clients/table.ts";
import { thisMachine } from "../../config/directories.ts";
import { EXIT } from "../../errors.ts";
import { type Candidate, ConfigCompletions } from "./config-completions.ts";
import {
  argumentsAmong,
  findOption,
  splitAtEquals,
  valueOf,
  withoutLoneEquals,
} from "./command-line.ts";
import type { Command, Completes, Context } from "../core/command.ts";
import { COMMANDS, findCommand } from "../commands/commands.ts";
import { SHELLS } from "./scripts.ts";
import { secretNames } from "./secret-names.ts";
import { commonOptions } from "../core/common-options.ts";
import { safeLine } from "../../text/safe-text.ts";

/** `__complete WORDS…`: completions of the last word, one per line, for the shell scripts. */
export async function complete(
  words: readonly string[],
  surroundings: Pick<Context, "out" | "env" | "cwd">,
): Promise<number> {
  for (const line of await candidates(inOrder(words), surroundings)) surroundings.out.print(line);
  return EXIT.ok;
}

const CURRENT = "--current=";

/** The words with the current one at the end; a shell may also give it first, as `--current=WORD`. */
function inOrder([first = "", ...others]: readonly string[]): readonly string[] {
  return first.startsWith(CURRENT) ? [...others, first.slice(CURRENT.length)] : [first, ...others];
}

/** The lines for the shell. Starts nothing and never fails: without an answer there are no completions. */
export async function candidates(
  words: readonly string[],
  surroundings: Pick<Context, "env" | "cwd">,
): Promise<readonly string[]> {
  const typed = withoutLoneEquals(words);
  const current = typed.at(-1) ?? "";
  const [name, ...given] = typed.slice(0, -1);
  if (name === undefined) return lines(commandNames(), current);
  const command = findCommand(name);
  if (command === undefined || given.includes("--")) return [];
  const at: At = { command, given, surroundings };
  const pending = findOption(command, given.at(-1) ?? "");
  if (pending?.value !== undefined) return await values(pending.completes, current, at);
  const inline = splitAtEquals(current);
  const own = inline && findOption(command, inline.option);
  if (inline !== undefined && own !== undefined)
    return (await values(own.completes, inline.value, at)).map((line) =>
      line.startsWith(":") ? line : `${inline.option}=${line}`,
    );
  if (current.startsWith("-")) return lines(optionNames(command), current);
  const { completes, completesNext = completes, takes } = command;
  const count = argumentsAmong(command, given).length;
  if (count >= takes[1]) return [];
  return await values(count === 0 ? completes : completesNext, current, at);
}

/** The command line up to the cursor. */
interface At {
  readonly command: Command;
  readonly given: readonly string[];
  readonly surroundings: Pick<Context, "env" | "cwd">;
}

const commandNames = (): readonly Candidate[] =>
  COMMANDS.map(({ name, summary }) => ({ word: name, meaning: summary }));

const optionNames = (command: Command): readonly Candidate[] =>
  [...command.options, ...commonOptions(command)].map(({ name, summary }) => ({
    word: `--${name}`,
    meaning: summary,
  }));

function lines(found: readonly Candidate[], start: string): readonly string[] {
  return found
    .filter(({ word }) => word.startsWith(start))
    .map(({ word, meaning }) => `${safeLine(word)}\t${safeLine(meaning)}`);
}

async function values(
  completes: Completes | undefined,
  start: string,
  at: At,
): Promise<readonly string[]> {
  if (completes === undefined) return [];
  if (completes === "file" || completes === "folder") return [`:${completes}`];
  if (completes === "client" && /[./~]/.test(start) && at.command.name !== "install")
    return [":file"];
  return lines(await found(completes, start, at), start);
}

/** The commands that use tools, for which nothing exists that the policy denies. */
const USING: ReadonlySet<string> = new Set(["list", "call", "search", "open"]);

async function found(
  completes: Exclude<Completes, "file" | "folder">,
  start: string,
  { command, given, surroundings }: At,
): Promise<readonly Candidate[]> {
  if (completes === "command") return commandNames();
  if (completes === "shell") return plain(SHELLS);
  if (completes === "client") return CLIENTS.map(({ id, label }) => ({ word: id, meaning: label }));
  if (typeof completes !== "string") return plain(completes);
  if (completes === "token") return tokenNames(given, surroundings);
  const file = valueOf(command, given, "config");
  if (completes === "secret") return plain(await secretNames(given, file, surroundings));
  const places = await ConfigCompletions.read(file, surroundings, !USING.has(command.name));
  if (completes === "toolbox") return places.toolboxes();
  if (completes === "argument") return places.arguments(argumentsAmong(command, given)[0] ?? "");
  const depth = start.split("/").length;
  if (depth === 1) return places.toolboxes("/");
  if (depth > 2 && completes === "tool") return places.tools(start);
  // `call` needs a tool after the server.
  return places.servers(command.completesNext === "argument" ? "/" : "");
}

/** The tokens that an action needs the name of. */
function tokenNames(
  [action = ""]: readonly string[],
  { env }: Pick<Context, "env">,
): readonly Candidate[] {
  if (action !== "revoke" && action !== "rotate") return [];
  try {
    return plain(readTokens(tokenFile(thisMachine(env))).map(({ name }) => name));
  } catch {
    return [];
  }
}

const plain = (words: readonly string[]): readonly Candidate[] =>
  words.map((word) => ({ word, meaning: "" }));
