/** The log of the processes that clients share; a failed test prints it. */
import { join } from "node:path";
import { namesIn, textIfPresent } from "./present-files.ts";
import { Transcript } from "./transcript.ts";

export class SharedLog {
  readonly #folder: string;
  readonly #transcript = new Transcript("shared process", () => this.text);
  #final: string | undefined;

  /** `folder` is where the processes keep their records and logs. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What the processes have logged so far. */
  get text(): string {
    return this.#final ?? this.#read();
  }

  /** Reads it for the last time: the folder is removed before a failed test is reported. */
  end(): void {
    this.#final = this.#read();
    this.#transcript.close();
  }

  #read(): string {
    return namesIn(this.#folder)
      .filter((name) => name.endsWith(".log"))
      .map((name) => textIfPresent(join(this.#folder, name)))
      .join("\n");
  }
}
