import { CLIENTS } from "../clients/table.ts";
import { loadConfig } from "../config/load.ts";
import { EXIT } from "../errors.ts";
import { findOption, splitAtEquals } from "./complete-words.ts";
import type { Command, Completes, Context } from "./command.ts";
import { COMMANDS, findCommand } from "./commands.ts";
import { SHELLS } from "./completion.ts";
import { commonOptions } from "./help.ts";
import { safeLine } from "./output/safe-text.ts";

/** A word that can stand where the cursor is, and what it means. */
interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

/** `__complete WORDS…`: what the last of the words can become, one line each, for the shells' scripts. */
export async function complete(
  words: readonly string[],
  surroundings: Pick<Context, "out" | "env" | "cwd">,
): Promise<number> {
  for (const line of await candidates(words, surroundings)) surroundings.out.print(line);
  return EXIT.ok;
}

/** The lines for the shell; nothing is started and nothing fails: no answer is as good as an error. */
export async function candidates(
  words: readonly string[],
  surroundings: Pick<Context, "env" | "cwd">,
): Promise<readonly string[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const [name, ...given] = before;
  if (name === undefined) return lines(commandNames(), current);
  const command = findCommand(name);
  if (command === undefined || given.includes("--")) return [];
  const pending = findOption(command, given.at(-1) ?? "");
  if (pending?.value !== undefined)
    return await values(pending.completes, current, surroundings, given, command);
  const inline = splitAtEquals(current);
  const own = inline && findOption(command, inline.option);
  if (inline !== undefined && own !== undefined)
    return (await values(own.completes, inline.value, surroundings, given, command)).map((line) =>
      line.startsWith(":") ? line : `${inline.option}=${line}`,
    );
  if (current.startsWith("-")) return lines(optionNames(command), current);
  return await values(command.completes, current, surroundings, given, command);
}

// --- internal ---

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
    .map(({ word, meaning }) => `${word}\t${safeLine(meaning)}`);
}

async function values(
  completes: Completes | undefined,
  start: string,
  surroundings: Pick<Context, "env" | "cwd">,
  given: readonly string[],
  command: Command,
): Promise<readonly string[]> {
  if (completes === undefined) return [];
  if (completes === "file" || completes === "folder") return [`:${completes}`];
  if (completes === "command") return lines(commandNames(), start);
  if (completes === "shell") return lines(plain(SHELLS), start);
  if (completes === "client") {
    const clients = CLIENTS.map(({ id, label }) => ({ word: id, meaning: label }));
    const isFile = /[./~]/.test(start) && command.name !== "install";
    return isFile ? [":file"] : lines(clients, start);
  }
  if (typeof completes !== "string") return lines(plain(completes), start);
  return lines(await places(completes, start, surroundings, given, command), start);
}

const plain = (words: readonly string[]): readonly Candidate[] =>
  words.map((word) => ({ word, meaning: "" }));

/** Toolboxes and their servers, as far as the configuration tells. */
async function places(
  kind: "toolbox" | "server",
  start: string,
  { env, cwd }: Pick<Context, "env" | "cwd">,
  given: readonly string[],
  command: Command,
): Promise<readonly Candidate[]> {
  const at = given.findIndex((word) => findOption(command, word)?.name === "config");
  const file = at === -1 ? undefined : given[at + 1];
  const settings = await loadConfig({ file, env, cwd }).catch(() => undefined);
  const boxes = [...(settings?.toolboxes.values() ?? [])];
  if (kind === "toolbox") return boxes.map((box) => ({ word: box.name, meaning: box.description }));
  if (!start.includes("/"))
    return boxes.map((box) => ({ word: `${box.name}/`, meaning: box.description }));
  return boxes.flatMap((box) =>
    Array.from(box.servers.keys(), (server) => ({
      word: `${box.name}/${server}${command.name === "call" ? "/" : ""}`,
      meaning: box.description,
    })),
  );
}
