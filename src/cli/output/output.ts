import type { Environment } from "../../config/expand.ts";
import { type Redact, redactor } from "../../text/redact.ts";
import { safeJson } from "./safe-text.ts";
import { type Style, styleFor, wantsColours } from "./style.ts";

/** A stream to write to, and whether somebody looks at it. */
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
 * Where commands write. Standard output gets the result and nothing else: text for people, or with
 * `--json` one document. Everything that is said on the way goes to standard error. Secrets are taken
 * out of all but what a server answered, which is passed on as it is.
 */
export class Output {
  readonly json: boolean;
  /** For results. */
  readonly style: Style;
  /** For what is said on the way. */
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

  /** Whether a person reads the result as it comes. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Whether a person sees what is said on the way. */
  get isInteractive(): boolean {
    return this.#stderr.isTTY === true;
  }

  get width(): number {
    return Math.max(MIN_WIDTH, this.#stdout.columns || DEFAULT_WIDTH);
  }

  get noteWidth(): number {
    return Math.max(MIN_WIDTH, this.#stderr.columns || DEFAULT_WIDTH);
  }

  /** Takes these values, too, out of everything that is said from now on. */
  hide(secrets: Iterable<string>): void {
    for (const secret of secrets) this.#secrets.add(secret);
    this.#redact = redactor(this.#secrets);
  }

  /** A part of the result for people. */
  print(text: string): void {
    if (!this.json) this.#stdout.write(`${this.#redact(text)}\n`);
  }

  /** A part of the result exactly as it is, without a line break of ours. */
  printRaw(text: string): void {
    if (!this.json) this.#stdout.write(text);
  }

  /** The result for programs. */
  document(value: unknown): void {
    const shown = (_: string, part: unknown): unknown =>
      typeof part === "string" ? this.#redact(part) : part;
    if (this.json) this.documentText(JSON.stringify(value, shown, 2));
  }

  /** The result for programs where it is JSON text already, kept to the byte unless a terminal shows it. */
  documentText(json: string): void {
    if (this.json) this.#stdout.write(`${this.isTerminal ? safeJson(json) : json}\n`);
  }

  /** Something for people to know that is not the result. Programs are spared it. */
  say(text: string): void {
    if (!this.json) this.#stderr.write(`${this.#redact(text)}\n`);
  }

  /** The same, but also for programs: what they should write into a log. */
  warn(text: string): void {
    this.#stderr.write(`${this.noteStyle.yellow("!")} ${this.#redact(text)}\n`);
  }

  /** Control over a terminal, for what moves. */
  draw(text: string): void {
    this.#stderr.write(this.#redact(text));
  }
}
