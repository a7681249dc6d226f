/** The messages of a program under test, kept to be printed when the test fails. */

const MAX_ENTRIES = 200;
const MAX_ENTRY_CHARS = 600;
const MAX_LOG_CHARS = 20_000;
/** For a part of a conversation, which is printed beside many others. */
const MAX_PART_ENTRIES = 40;
const MAX_PART_LOG_CHARS = 2000;
/** Transcripts of programs that ended long ago do not help a failing test. */
const MAX_TRANSCRIPTS = 40;

const recent: Transcript[] = [];

/** A place in a transcript. */
export interface Mark {
  readonly entries: number;
  readonly log: number;
}

export class Transcript {
  readonly title: string;
  readonly #log: () => string;
  readonly #entries: string[] = [];
  readonly #start = performance.now();
  #dropped = 0;
  #lastUsed = performance.now();
  #isOpen = true;

  /** `log` returns what the program has written to standard error so far. */
  constructor(title: string, log: () => string = () => "") {
    this.title = title;
    this.#log = log;
    recent.push(this);
    if (recent.length > MAX_TRANSCRIPTS) forgetOne();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  sent(message: string): void {
    this.#add("→", message);
  }

  received(message: string): void {
    this.#add("←", message);
  }

  /** Records something that is not a message, such as the exit of the program. */
  note(event: string): void {
    this.#add("·", event);
  }

  /** The program has ended; later tests have nothing to do with it. */
  close(): void {
    this.#isOpen = false;
    this.#lastUsed = performance.now();
  }

  wasUsedAfter(time: number): boolean {
    return this.#isOpen || this.#lastUsed >= time;
  }

  /** The current end; `since` prints from there. */
  mark(): Mark {
    return { entries: this.#dropped + this.#entries.length, log: this.#log().length };
  }

  /** The messages since the mark, much shorter than the whole transcript. */
  since(mark: Mark): string {
    const all = this.#entries.slice(Math.max(0, mark.entries - this.#dropped));
    const entries = all.slice(-MAX_PART_ENTRIES);
    const added = this.#dropped + this.#entries.length - mark.entries;
    const log = this.#log().slice(mark.log).slice(-MAX_PART_LOG_CHARS);
    return this.#print(entries, added - entries.length, log);
  }

  toString(): string {
    return this.#print(this.#entries, this.#dropped, this.#log().slice(-MAX_LOG_CHARS));
  }

  #print(entries: readonly string[], leftOut: number, log: string): string {
    return [
      `--- ${this.title}: messages (→ sent by the test, ← received) ---`,
      ...(leftOut > 0 ? [`(${leftOut} earlier messages left out)`] : []),
      ...entries,
      `--- ${this.title}: log ---`,
      log === "" ? "(empty)" : log.trimEnd(),
    ].join("\n");
  }

  #add(direction: string, text: string): void {
    this.#lastUsed = performance.now();
    const atMs = Math.round(this.#lastUsed - this.#start);
    const more = text.length - MAX_ENTRY_CHARS;
    const shown = more > 0 ? `${beginningOf(text)}… (${more} more characters)` : text;
    this.#entries.push(`${String(atMs).padStart(6)} ms ${direction} ${shown}`);
    if (this.#entries.length > MAX_ENTRIES) {
      this.#entries.shift();
      this.#dropped++;
    }
  }
}

/** A copy, because a slice would keep the whole text in memory. */
function beginningOf(text: string): string {
  return Buffer.from(text.slice(0, MAX_ENTRY_CHARS)).toString();
}

/** Prefers one that has ended: a command that a test repeats must not push out what it tests. */
function forgetOne(): void {
  const ended = recent.findIndex((transcript) => !transcript.isOpen);
  recent.splice(Math.max(0, ended), 1);
}

/** The transcripts of every program that ran at some time after `time`. */
export function transcriptsSince(time: number): string[] {
  return recent.filter((transcript) => transcript.wasUsedAfter(time)).map(String);
}
