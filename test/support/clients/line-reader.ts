/** Cuts bytes into lines; only a line feed ends one. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** What came after the last line feed. */
  get rest(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#parts.push(chunk.subarray(start, end));
      const line = this.rest;
      this.#parts = [];
      start = end + 1;
      this.#onLine(line);
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
  }
}
