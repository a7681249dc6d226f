import type { Environment } from "../../config/canonical/expand.ts";
import type { Output } from "../output/output.ts";
import type { Prompt } from "../output/prompt.ts";

/** How a shell completes an argument or the value of an option. */
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
  | "token"
  | "secret"
  | readonly string[];

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** Name of the value in the help text; an option without one is a flag. */
  readonly value?: string;
  /** May be repeated. */
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

/** Everything a command may use. */
export interface Context {
  readonly args: Arguments;
  readonly out: Output;
  readonly prompt: Prompt;
  /** Aborted by Ctrl-C and the signals that end a program. */
  readonly signal: AbortSignal;
  /** Ctrl-C is the normal way to end this command: it is not reported, and the exit code is 0. */
  readonly endsOnSignal: () => void;
  /** What users should know if they press Ctrl-C from now on, such as what is written already. */
  readonly noteInterruption: (text: string) => void;
  /** What the program finishes before it exits, even after several signals: a token would be lost. */
  readonly finishFirst: (pending: () => Promise<unknown>) => void;
  readonly env: Environment;
  readonly cwd: string;
}

/** Runs a command and returns the exit code. */
export type Run = (context: Context) => Promise<number>;

/** One command as data: help, completion and the reference are generated from it. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Usage lines, without the program name. */
  readonly usage: readonly string[];
  /** A few sentences beyond the summary. */
  readonly details?: string;
  /** Number of arguments, not counting options and what follows `--`. */
  readonly takes: readonly [least: number, most: number];
  /** It accepts a command line after `--`. */
  readonly passes?: true;
  readonly completes?: Completes;
  /** Completion for the arguments after the first, if it differs. */
  readonly completesNext?: Completes;
  readonly options: readonly Option[];
  readonly examples: readonly Example[];
  /** The keys of the `--json` document and their meaning; empty if the command has no such document. */
  readonly json: readonly (readonly [key: string, meaning: string])[];
  /** With `--json` it prints events, one object on each line. */
  readonly jsonLines?: true;
  /** It changes files, and so it finishes even if its output is no longer read. */
  readonly finishesUnread?: true;
  /** Loads the implementation; absent for commands that are part of the main program. */
  readonly load?: () => Promise<Run>;
}
