import { truncate } from "../../text/truncate.ts";
import type { Output } from "./output.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
const CLEAR_LINE = "\r\u001b[K";

/**
 * Progress on standard error: in a terminal one animated line, and for each finished step a line
 * that stays. Without a terminal only the latter.
 */
export class Progress {
  readonly #out: Output;
  readonly #moves: boolean;
  readonly #running = new Map<symbol, string>();
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #hidden = false;

  constructor(out: Output) {
    this.#out = out;
    this.#moves = out.isInteractive && !out.json;
  }

  /** Starts a step; the returned handle updates its text or ends it. */
  start(text: string): Step {
    const key = Symbol(text);
    this.#running.set(key, text);
    this.#timer ??= this.#moves ? setInterval(() => this.#draw(), FRAME_MS).unref() : undefined;
    this.#draw();
    return {
      update: (now) => {
        if (this.#running.has(key)) this.#running.set(key, now);
        this.#draw();
      },
      end: (line) => this.#end(key, line),
    };
  }

  /** Hides the progress line while something else uses the terminal. */
  async hiddenDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#clear();
    this.#hidden = true;
    try {
      return await work();
    } finally {
      this.#hidden = false;
    }
  }

  #end(key: symbol, line: string | undefined): void {
    if (!this.#running.delete(key)) return;
    this.#clear();
    if (line !== undefined) this.#out.say(line);
    if (this.#running.size > 0) this.#draw();
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #draw(): void {
    if (!this.#moves || this.#hidden || this.#running.size === 0) return;
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const text = truncate([...this.#running.values()].join(", "), this.#out.noteWidth - 4);
    const frame = this.#out.noteStyle.cyan(FRAMES[this.#frame] ?? "");
    this.#out.draw(`${CLEAR_LINE}${frame} ${text}`);
  }

  #clear(): void {
    if (this.#moves) this.#out.draw(CLEAR_LINE);
  }
}

export interface Step {
  readonly update: (text: string) => void;
  /** Ends the step and prints the line, if one is given. */
  readonly end: (line?: string) => void;
}
