/** What a program under test said and was told, kept to be printed when the test fails. */

const MAX_ENTRIES = 200;
const MAX_ENTRY_CHARS = 600;
const MAX_LOG_CHARS = 20_000;
/** Transcripts of programs that ended long ago are of no use to a failing test. */
const MAX_TRANSCRIPTS = 40;

const recent: Transcript[] = [];

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
    if (recent.length > MAX_TRANSCRIPTS) recent.shift();
  }

  sent(message: string): void {
    this.#add("→", message);
  }

  received(message: string): void {
    this.#add("←", message);
  }

  /** Notes something that is not a message, such as the exit of the program. */
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

  toString(): string {
    const log = this.#log();
    const dropped = this.#dropped > 0 ? [`(${this.#dropped} earlier messages left out)`] : [];
    return [
      `--- ${this.title}: messages (→ sent by the test, ← received) ---`,
      ...dropped,
      ...this.#entries,
      `--- ${this.title}: log ---`,
      log === "" ? "(empty)" : log.slice(-MAX_LOG_CHARS).trimEnd(),
    ].join("\n");
  }

  #add(direction: string, text: string): void {
    this.#lastUsed = performance.now();
    const atMs = Math.round(this.#lastUsed - this.#start);
    const more = text.length - MAX_ENTRY_CHARS;
    const shown = more > 0 ? `${text.slice(0, MAX_ENTRY_CHARS)}… (${more} more characters)` : text;
    this.#entries.push(`${String(atMs).padStart(6)} ms ${direction} ${shown}`);
    if (this.#entries.length > MAX_ENTRIES) {
      this.#entries.shift();
      this.#dropped++;
    }
  }
}

/** The transcripts of every program that ran at some time after `time`. */
export function transcriptsSince(time: number): string[] {
  return recent.filter((transcript) => transcript.wasUsedAfter(time)).map(String);
}
