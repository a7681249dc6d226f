/** Streams that simulate a terminal in unit tests. */
import { PassThrough } from "node:stream";

import { Output } from "../../src/cli/output/output.ts";
import { Prompt } from "../../src/cli/output/prompt.ts";

export class FakeStream {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number;

  constructor(isTTY: boolean, columns = 100) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

export interface FakeOptions {
  readonly lines?: boolean;
  readonly json?: boolean;
  readonly colours?: boolean;
  readonly stdoutIsTerminal?: boolean;
  readonly stderrIsTerminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
}

export interface FakeTerminal {
  readonly out: Output;
  readonly stdout: FakeStream;
  readonly stderr: FakeStream;
}

export function fakeTerminal(options: FakeOptions = {}): FakeTerminal {
  const stdout = new FakeStream(options.stdoutIsTerminal ?? false, options.columns);
  const stderr = new FakeStream(options.stderrIsTerminal ?? false, options.columns);
  const { json = false, colours = false, lines = false, env = {} } = options;
  return { out: new Output({ json, colours, env, lines, stdout, stderr }), stdout, stderr };
}

export interface FakePrompt extends FakeTerminal {
  readonly prompt: Prompt;
  readonly abort: AbortController;
  /** Types some lines. */
  readonly type: (...lines: readonly string[]) => void;
  /** Closes the terminal, as Ctrl-D does. */
  readonly end: () => void;
}

/** A terminal with a user. */
export function fakePrompt(isTTY = true, options: FakeOptions = {}): FakePrompt {
  const terminal = fakeTerminal({ stderrIsTerminal: isTTY, ...options });
  const input = Object.assign(new PassThrough(), { isTTY });
  const abort = new AbortController();
  const prompt = new Prompt(terminal.out, abort.signal, input);
  return {
    ...terminal,
    prompt,
    abort,
    type: (...lines) => void input.write(lines.map((line) => `${line}\n`).join("")),
    end: () => input.end(),
  };
}
