import type { Output } from "./output.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
/** A step that takes longer shows for how long it has been running. */
const SHOW_SECONDS_AFTER_MS = 5_000;

/** The text of a step; a function is called whenever the line is drawn. */
export type StepText = string | (() => string);

export interface ProgressOptions {
  /** How many steps there will be: the line shows how many of them are done. */
  readonly total?: number;
  readonly now?: () => number;
}

interface RunningStep {
  text: StepText;
  readonly startedAt: number;
}

/**
 * Progress on standard error: in a terminal one animated line with the number of finished steps, and
 * for each finished step a line that stays. Without a terminal only the latter.
 */
export class Progress {
  readonly #out: Output;
  readonly #total: number;
  readonly #now: () => number;
  readonly #moves: boolean;
  readonly #running = new Map<symbol, RunningStep>();
  #done = 0;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #hidden = false;

  constructor(out: Output, { total = 0, now = () => performance.now() }: ProgressOptions = {}) {
    this.#out = out;
    this.#total = total;
    this.#now = now;
    this.#moves = out.isInteractive && !out.json;
  }

  /** Starts a step; the returned handle updates its text or ends it. */
  start(text: StepText): Step {
    const key = Symbol("step");
    this.#running.set(key, { text, startedAt: this.#now() });
    if (this.#moves) this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
    this.#draw();
    return {
      update: (next) => {
        const step = this.#running.get(key);
        if (step !== undefined) step.text = next;
        this.#draw();
      },
      end: (line) => this.#end(key, line),
    };
  }

  /** Hides the progress line while something else uses the terminal. */
  async hiddenDuring<T>(work: () => Promise<T>): Promise<T> {
    if (this.#moves) this.#out.liveLine.clear();
    this.#hidden = true;
    try {
      return await work();
    } finally {
      this.#hidden = false;
    }
  }

  #end(key: symbol, line: string | undefined): void {
    if (!this.#running.delete(key)) return;
    this.#done += 1;
    if (line !== undefined) this.#out.say(line);
    if (this.#running.size > 0) {
      this.#draw();
      return;
    }
    if (this.#moves) this.#out.liveLine.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #draw(): void {
    if (!this.#moves || this.#hidden || this.#running.size === 0) return;
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const frame = this.#out.noteStyle.cyan(FRAMES[this.#frame] ?? "");
    const count = this.#total > 1 ? `${this.#done}/${this.#total} ` : "";
    const steps = withoutRepeatedVerb(Array.from(this.#running.values(), (s) => this.#textOf(s)));
    const text = `${count}${steps.join(", ")}`.replace(/\s+/g, " ");
    this.#out.liveLine.show(frame, text);
  }

  #textOf({ text, startedAt }: RunningStep): string {
    const shown = typeof text === "string" ? text : text();
    const elapsedMs = this.#now() - startedAt;
    return elapsedMs < SHOW_SECONDS_AFTER_MS
      ? shown
      : `${shown} (${Math.floor(elapsedMs / 1000)} s)`;
  }
}

export interface Step {
  readonly update: (text: StepText) => void;
  /** Ends the step and prints the line, if one is given. */
  readonly end: (line?: string) => void;
}

/** Steps often begin with the same word, such as `connecting`: it is shown once. */
function withoutRepeatedVerb(texts: readonly string[]): readonly string[] {
  return texts.map((text, index) => {
    const [verb = ""] = text.split(" ", 1);
    const isRepeated = index > 0 && texts[index - 1]?.split(" ", 1)[0] === verb;
    return isRepeated && verb.length < text.length ? text.slice(verb.length + 1) : text;
  });
}
