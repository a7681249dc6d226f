import { type Interface, createInterface } from "node:readline";
import type { Readable } from "node:stream";

import { workbenchError } from "../../errors.ts";
import { askHidden, type TerminalInput } from "./hidden-prompt.ts";
import type { Output } from "./output.ts";
import { safeLine } from "../../text/safe-text.ts";

export interface PromptInput extends Readable {
  readonly isTTY?: boolean;
}

/**
 * Asks the user in the terminal. The terminal stays in its ordinary mode: lines are edited
 * by the system, and Ctrl-C sends a signal as usual.
 */
export class Prompt {
  readonly #out: Output;
  readonly #input: PromptInput;
  readonly #signal: AbortSignal;
  readonly #lines: string[] = [];
  #interface: Interface | undefined;
  #waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  #ended = false;

  constructor(out: Output, signal: AbortSignal, input: PromptInput = process.stdin) {
    this.#out = out;
    this.#signal = signal;
    this.#input = input;
  }

  /** Whether the user can be asked: never without a terminal. */
  get available(): boolean {
    return this.#input.isTTY === true && this.#out.isInteractive && !this.#out.json;
  }

  /** Whether a question waits for its answer. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /**
   * Asks for a line of text; an empty line means `suggestion`. Some questions come from servers, so
   * control characters in them are escaped.
   */
  async ask(question: string, suggestion = ""): Promise<string> {
    const { bold, dim } = this.#out.noteStyle;
    const offered = suggestion === "" ? "" : dim(` [${safeLine(suggestion)}]`);
    const line = await this.#line(`${bold(safeLine(question))}${offered} `);
    return line.trim() === "" ? suggestion : line.trim();
  }

  /** Yes or no. */
  async confirm(question: string, suggestion: boolean): Promise<boolean> {
    for (;;) {
      const answer = await this.#line(
        `${this.#out.noteStyle.bold(safeLine(question))} ${suggestion ? "[Y/n]" : "[y/N]"} `,
      );
      if (answer.trim() === "") return suggestion;
      if (/^(y|yes)$/i.test(answer.trim())) return true;
      if (/^(n|no)$/i.test(answer.trim())) return false;
      this.#out.say("Please answer y or n.");
    }
  }

  /** Some items of a list, by number; an empty line means `suggestion`. */
  async choose(
    question: string,
    choices: readonly string[],
    suggestion: readonly number[] = [],
  ): Promise<readonly number[]> {
    for (const [index, choice] of choices.entries()) this.#out.say(`  ${index + 1}) ${choice}`);
    for (;;) {
      const answer = await this.ask(question, suggestion.map((index) => index + 1).join(" "));
      if (/^(none|-)?$/i.test(answer)) return [];
      if (/^(all|\*)$/i.test(answer)) return [...choices.keys()];
      const numbers = answer.split(/[\s,]+/).map((word) => Number(word) - 1);
      if (numbers.every((index) => choices[index] !== undefined)) return [...new Set(numbers)];
      this.#out.say(`Please give numbers from 1 to ${choices.length}, 'all' or 'none'.`);
    }
  }

  /** Asks for a text without showing what is typed. */
  async askHidden(question: string): Promise<string> {
    // Two readers of one terminal would both get the secret.
    this.#interface?.removeAllListeners();
    this.#interface?.close();
    this.#interface = undefined;
    return askHidden(question, this.#out, this.#signal, this.#input as TerminalInput);
  }

  /** Releases the terminal, so that the program can exit. */
  close(): void {
    this.#ended = true;
    this.#interface?.close();
  }

  async #line(question: string): Promise<string> {
    this.#signal.throwIfAborted();
    this.#out.draw(question);
    const early = this.#lines.shift();
    if (early !== undefined) return early;
    if (this.#ended) throw this.#gone();
    this.#open();
    const stop = (): void => this.#waiting?.reject(this.#signal.reason as Error);
    this.#signal.addEventListener("abort", stop);
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#waiting = { resolve, reject };
      });
    } finally {
      this.#waiting = undefined;
      this.#signal.removeEventListener("abort", stop);
      this.#input.pause();
    }
  }

  /** One reader for all questions: text typed ahead answers a later one. */
  #open(): void {
    if (this.#interface === undefined) {
      this.#interface = createInterface({ input: this.#input, terminal: false });
      this.#interface.on("line", (line) => {
        if (this.#waiting === undefined) this.#lines.push(line);
        else this.#waiting.resolve(line);
        this.#waiting = undefined;
      });
      this.#interface.on("close", () => {
        this.#ended = true;
        this.#waiting?.reject(this.#gone());
      });
    }
    this.#input.resume();
  }

  #gone(): Error {
    this.#out.say("");
    return workbenchError("INTERRUPTED", {});
  }
}
