import type { Environment } from "../../config/canonical/expand.ts";
import { type Redact, redactor } from "../../secrets/redact.ts";
import { wrapLines } from "./layout.ts";
import { LiveLine } from "./live-line.ts";
import { safeJson } from "../../text/safe-text.ts";
import { fitWidth } from "./text-width.ts";
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
  /** With `--json`, the command prints events, one object on each line, instead of one document. */
  readonly lines?: boolean;
  readonly stdout?: OutputStream;
  readonly stderr?: OutputStream;
}

/** Why a command failed, as scripts see it. */
export interface FailureDetails {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly cause?: string;
}

const DEFAULT_WIDTH = 100;
const MIN_WIDTH = 20;
/** The sign, a space, and the last column, after which some terminals already wrap. */
const LIVE_LINE_MARGIN = 3;

/**
 * The output of commands. Standard output gets only the result: text, or with `--json` one document.
 * Everything else goes to standard error. Secrets are redacted everywhere except in results of tools,
 * which are passed on unchanged. In a terminal, text wraps at words, and the live line (the progress
 * of a command) never shares a line with other output, because both are written here.
 */
export class Output {
  readonly json: boolean;
  /** For results. */
  readonly style: Style;
  /** For notes on standard error. */
  readonly noteStyle: Style;
  /** The progress of a command; shown only in a terminal. */
  readonly liveLine: LiveLine;
  readonly #lines: boolean;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #secrets = new Set<string>();
  #redact: Redact = (text) => text;
  #isStopped = false;
  #hasReader = true;

  constructor({ json, colours, env, lines = false, stdout, stderr }: OutputOptions) {
    this.json = json;
    this.#lines = lines;
    this.#stdout = stdout ?? process.stdout;
    this.#stderr = stderr ?? process.stderr;
    this.style = styleFor(colours && wantsColours(env, this.isTerminal));
    this.noteStyle = styleFor(colours && wantsColours(env, this.isInteractive));
    this.liveLine = new LiveLine(
      (text) => void this.#stderr.write(text),
      (text) => {
        if (!this.isInteractive || this.json || this.#isStopped) return undefined;
        // Redacted first: half of a secret could no longer be found.
        return fitWidth(this.#redact(text), this.noteWidth - LIVE_LINE_MARGIN);
      },
    );
  }

  /** Whether the result goes to a terminal. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Whether notes go to a terminal. */
  get isInteractive(): boolean {
    return this.#stderr.isTTY === true;
  }

  /** For tables of the result: they fit the terminal, and are as wide as they like elsewhere. */
  get tableWidth(): number {
    return this.isTerminal ? this.width : Infinity;
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

  /** Prints part of the result as text. In a terminal, `hang` indents the lines that continue it. */
  print(text: string, hang?: string): void {
    if (!this.json) this.#result(`${this.#wrapped(this.#redact(text), this.#stdout, hang)}\n`);
  }

  /** Prints part of the result unchanged, without adding a line break. */
  printRaw(text: string): void {
    if (!this.json) this.#result(text);
  }

  /** Prints the result as a document, with `--json`. */
  document(value: unknown): void {
    if (this.json) this.documentText(this.#jsonOf(value));
  }

  /** The same for a result that is JSON text already: unchanged, unless it goes to a terminal. */
  documentText(json: string): void {
    if (this.json) this.#result(`${this.isTerminal ? safeJson(json) : json}\n`);
  }

  /** Prints a note that is not part of the result; nothing with `--json`. */
  say(text: string): void {
    if (!this.json) this.#note(`${this.#wrapped(this.#redact(text), this.#stderr)}\n`);
  }

  /** Prints a warning, also with `--json`: scripts should log it. */
  warn(text: string): void {
    const line = `${this.noteStyle.yellow("!")} ${this.#redact(text)}`;
    this.#note(`${this.#wrapped(line, this.#stderr)}\n`);
  }

  /** Writes a question to the terminal; the answer follows on the same line. */
  draw(text: string): void {
    this.#note(this.#wrapped(this.#redact(text), this.#stderr));
  }

  /**
   * Prints nothing from now on: the command was interrupted, and what it still reports, such as
   * servers that were disconnected, follows from that.
   */
  stop(): void {
    this.liveLine.clear();
    this.#isStopped = true;
  }

  /** Prints only notes from now on: results are no longer read. */
  stopResults(): void {
    this.#hasReader = false;
  }

  /** Prints why the command failed, with `--json`, even if it was interrupted. */
  failure(error: FailureDetails): void {
    const wasStopped = this.#isStopped;
    this.#isStopped = false;
    const { code, message, hint } = error;
    const reason = hint === undefined ? message : `${message}. ${hint}`;
    this.document(this.#lines ? { event: "failed", code, reason } : { error });
    this.#isStopped = wasStopped;
  }

  #jsonOf(value: unknown): string {
    const shown = (_: string, part: unknown): unknown =>
      typeof part === "string" ? this.#redact(part) : part;
    return JSON.stringify(value, shown, this.#lines ? 0 : 2);
  }

  #result(text: string): void {
    if (this.#hasReader) this.#write(this.#stdout, text);
  }

  #note(text: string): void {
    this.#write(this.#stderr, text);
  }

  #write(stream: OutputStream, text: string): void {
    if (this.#isStopped) return;
    this.liveLine.clear();
    stream.write(text);
  }

  #wrapped(text: string, { isTTY, columns }: OutputStream, hang?: string): string {
    return isTTY === true && columns ? wrapLines(text, Math.max(MIN_WIDTH, columns), hang) : text;
  }
}
