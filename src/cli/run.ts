import { isWorkbenchError, workbenchError, type WorkbenchError, reasonOf } from "../errors.ts";
import { findCommand } from "./commands/commands.ts";
import { readArguments } from "./core/arguments.ts";
import type { Command, Context, Run } from "./core/command.ts";
import { Ending } from "./core/ending.ts";
import { hintOf } from "./core/sign-in-hint.ts";
import { completion } from "./completion/scripts.ts";
import { help, requireCommand } from "./help.ts";
import { Output } from "./output/output.ts";
import { Prompt } from "./output/prompt.ts";
import { safeText } from "../text/safe-text.ts";

/** Runs any command except `serve` and returns the exit code. */
export async function runCommand(
  name: string | undefined,
  args: readonly string[],
): Promise<number> {
  const command = findCommand(name ?? "");
  const out = outputFor(args, command?.jsonLines);
  const ending = new Ending(out);
  const prompt = new Prompt(out, ending.signal);
  ending.isAsking = () => prompt.isWaiting;
  if (command?.finishesUnread) ending.finishUnread();
  const { signal } = ending;
  const work = run(name, args, {
    out,
    prompt,
    signal,
    endsOnSignal: () => ending.expect(),
    noteInterruption: (text) => ending.noteInterruption(text),
    finishFirst: (pending) => ending.finishFirst(pending),
  });
  try {
    return await ending.exitCode(work);
  } catch (error) {
    return reportError(error, out);
  } finally {
    prompt.close();
    ending.release();
  }
}

/** Reports an error of `serve` to a person in a terminal and returns the exit code. */
export function reportServeError(error: unknown): number {
  return reportError(error, outputFor([]));
}

const BUILT_IN: Readonly<Record<string, Run>> = { help, completion };
const ANY_HELP = new Set(["--help", "-h"]);

async function run(
  name: string | undefined,
  args: readonly string[],
  surroundings: Pick<
    Context,
    "out" | "prompt" | "signal" | "endsOnSignal" | "noteInterruption" | "finishFirst"
  >,
): Promise<number> {
  const common = { ...surroundings, env: process.env, cwd: process.cwd() };
  if (beforeRest(args).some((word) => ANY_HELP.has(word))) {
    const asked = [
      ...(name === undefined ? [] : [name]),
      ...(args.includes("--json") ? ["--json"] : []),
    ];
    return help({ ...common, args: readArguments(requireCommand("help"), asked) });
  }
  if (name === undefined) {
    const { overview } = await import("./commands/setup-bundle.ts");
    return overview({ ...common, args: readArguments(BARE, args) });
  }
  if (name === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    return complete(args, common);
  }
  const command = requireCommand(name);
  const parsed = readArguments(command, args);
  const work = BUILT_IN[name] ?? (await command.load?.());
  if (work === undefined)
    throw workbenchError("INTERNAL", { reason: `the command '${name}' has no implementation` });
  return work({ ...common, args: parsed });
}

/** The program without a command. */
const BARE: Command = {
  name: "",
  summary: "Show the current setup",
  usage: ["[COMMAND]"],
  takes: [0, 0],
  options: [{ name: "config", value: "FILE", summary: "The configuration" }],
  examples: [],
  json: [],
};

const beforeRest = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
};

/** Created before the arguments are checked, so that errors in them are reported in the right format. */
function outputFor(args: readonly string[], lines = false): Output {
  const own = beforeRest(args);
  return new Output({
    json: own.includes("--json"),
    colours: !own.includes("--no-color"),
    env: process.env,
    lines,
  });
}

/** Prints an error on standard error; with `--json`, as a document on standard output. */
function reportError(thrown: unknown, out: Output): number {
  const error = isWorkbenchError(thrown) ? thrown : unexpected(thrown);
  const { code, message, causeCode: cause } = error;
  const hint = hintOf(error);
  if (out.json)
    out.failure({
      code,
      message,
      ...(hint !== undefined && { hint }),
      ...(cause !== undefined && { cause }),
    });
  const text = `${out.noteStyle.red("mcp-workbench:")} ${safeText(message)}`;
  out.say(hint === undefined ? text : `${text}\n${safeText(hint)}`);
  return error.exitCode;
}

function unexpected(thrown: unknown): WorkbenchError {
  return workbenchError("INTERNAL", { reason: reasonOf(thrown) }, undefined, thrown);
}
