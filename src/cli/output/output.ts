import type { Environment } from "../../config/canonical/expand.ts";
import { type Redact, redactor } from "../../secrets/redact.ts";
import { safeJson } from "../../text/safe-text.ts";
import { type Style, styleFor, wantsColours } from "./style.ts";

/** A stream to write to; `isTTY` if it is a terminal. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly colours: boolean;
  readonly env: Environment;
  readonly stdout?: OutputStream;
  readonly stderr?: OutputStream;
}

const DEFAULT_WIDTH = 100;
const MIN_WIDTH = 40;

/**
 * The output of commands. Standard output gets only the result: text, or with `--json` one document.
 * Everything else goes to standard error. Secrets are redacted everywhere except in results of tools,
 * which are passed on unchanged.
 */
export class Output {
  readonly json: boolean;
  /** For results. */
  readonly style: Style;
  /** For notes on standard error. */
  readonly noteStyle: Style;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #secrets = new Set<string>();
  #redact: Redact = (text) => text;

  constructor({ json, colours, env, stdout, stderr }: OutputOptions) {
    this.json = json;
    this.#stdout = stdout ?? process.stdout;
    this.#stderr = stderr ?? process.stderr;
    this.style = styleFor(colours && wantsColours(env, this.isTerminal));
    this.noteStyle = styleFor(colours && wantsColours(env, this.isInteractive));
  }

  /** Whether the result goes to a terminal. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Whether notes go to a terminal. */
  get isInteractive(): boolean {
    return this.#stderr.isTTY === true;
  }

  get width(): number {
    return Math.max(MIN_WIDTH, this.#stdout.columns || DEFAULT_WIDTH);
  }

  get noteWidth(): number {
    return Math.max(MIN_WIDTH, this.#stderr.columns || DEFAULT_WIDTH);
  }

  /** Redacts these values, too, from all further output. */
  hide(secrets: Iterable<string>): void {
    for (const secret of secrets) this.#secrets.add(secret);
    this.#redact = redactor(this.#secrets);
  }

  /** Prints part of the result as text. */
  print(text: string): void {
    if (!this.json) this.#stdout.write(`${this.#redact(text)}\n`);
  }

  /** Prints part of the result unchanged, without adding a line break. */
  printRaw(text: string): void {
    if (!this.json) this.#stdout.write(text);
  }

  /** Prints the result as a document, with `--json`. */
  document(value: unknown): void {
    const shown = (_: string, part: unknown): unknown =>
      typeof part === "string" ? this.#redact(part) : part;
    if (this.json) this.documentText(JSON.stringify(value, shown, 2));
  }

  /** The same for a result that is JSON text already: unchanged, unless it goes to a terminal. */
  documentText(json: string): void {
    if (this.json) this.#stdout.write(`${this.isTerminal ? safeJson(json) : json}\n`);
  }

  /** Prints a note that is not part of the result; nothing with `--json`. */
  say(text: string): void {
    if (!this.json) this.#stderr.write(`${this.#redact(text)}\n`);
  }

  /** Prints a warning, also with `--json`: scripts should log it. */
  warn(text: string): void {
    this.#stderr.write(`${this.noteStyle.yellow("!")} ${this.#redact(text)}\n`);
  }

  /** Writes to the terminal as is, for the progress line and prompts. */
  draw(text: string): void {
    this.#stderr.write(this.#redact(text));
  }
}
