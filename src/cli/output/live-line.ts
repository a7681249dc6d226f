const CLEAR_LINE = "\r\u001b[K";

/** The last line of a terminal, which shows the progress of a command; other output replaces it. */
export class LiveLine {
  readonly #write: (text: string) => void;
  readonly #fit: (text: string) => string | undefined;
  #isShown = false;

  /** `fit` cuts a text to the width of one line; it returns undefined if nothing may be shown now. */
  constructor(write: (text: string) => void, fit: (text: string) => string | undefined) {
    this.#write = write;
    this.#fit = fit;
  }

  /** Shows a sign and a text, cut to one line. */
  show(sign: string, text: string): void {
    const shown = this.#fit(text);
    if (shown === undefined) return;
    this.#isShown = true;
    this.#write(`${CLEAR_LINE}${sign} ${shown}`);
  }

  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#write(CLEAR_LINE);
  }
}
