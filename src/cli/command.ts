import type { Environment } from "../config/expand.ts";
import type { Output } from "./output/output.ts";
import type { Prompt } from "./output/prompt.ts";

/** What the shell can complete an argument or the value of an option with. */
export type Completes =
  | "command"
  | "client"
  | "file"
  | "folder"
  | "toolbox"
  | "server"
  | "tool"
  | "argument"
  | "shell"
  | readonly string[];

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What the value is called in the help; an option without one is a switch. */
  readonly value?: string;
  /** It may be given several times. */
  readonly multiple?: true;
  readonly summary: string;
  readonly completes?: Completes;
}

export interface Example {
  readonly command: string;
  readonly explanation: string;
}

/** The arguments of one command line. Reading an option that the command does not declare throws. */
export interface Arguments {
  readonly words: readonly string[];
  /** The words after `--`. */
  readonly rest: readonly string[];
  /** Whether `--` was given, even with nothing after it. */
  readonly hasRest: boolean;
  flag(option: string): boolean;
  text(option: string): string | undefined;
  list(option: string): readonly string[];
}

/** Everything a command needs; nothing else is looked up by itself. */
export interface Context {
  readonly args: Arguments;
  readonly out: Output;
  readonly prompt: Prompt;
  /** Aborted by Ctrl-C and the signals that end a program. */
  readonly signal: AbortSignal;
  readonly env: Environment;
  readonly cwd: string;
}

/** Does the work and gives the exit code. */
export type Run = (context: Context) => Promise<number>;

/** One command, as data: help, completions and the reference are derived from it. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The forms it can take, without the name of the program. */
  readonly usage: readonly string[];
  /** What the summary leaves out, in a few sentences. */
  readonly details?: string;
  /** How many arguments it takes, options and what follows `--` not counted. */
  readonly takes: readonly [least: number, most: number];
  /** It accepts a command line after `--`. */
  readonly passes?: true;
  readonly completes?: Completes;
  /** What the arguments after the first are, if they are something else. */
  readonly completesNext?: Completes;
  readonly options: readonly Option[];
  readonly examples: readonly Example[];
  /** The keys of the document that `--json` gives, and their meaning; none where there is no such document. */
  readonly json: readonly (readonly [key: string, meaning: string])[];
  /** Loads what does the work; left out for what is part of the program itself. */
  readonly load?: () => Promise<Run>;
}
