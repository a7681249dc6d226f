import { cut } from "../../text/truncate.ts";
import { wellFormed } from "./well-formed.ts";

const MAX_NAME_CHARS = 128;

/**
 * Names for labels. Names come from servers and clients, who may invent any number of them, of any
 * length; every different value of a label costs memory here and in every system that stores it.
 */
export class BoundedNames {
  readonly #max: number;
  readonly #other: string;
  readonly #redact: (text: string) => string;
  readonly #shown = new Map<string, string>();

  /** `other` is the name of all that come after the first `max`. */
  constructor(max: number, other: string, redact: (text: string) => string = (text) => text) {
    this.#max = max;
    this.#other = other;
    this.#redact = redact;
  }

  /** `scope` tells apart names that may be equal, such as tools of different servers. */
  get(name: string, scope = ""): string {
    const key = `${scope}\0${name}`;
    const known = this.#shown.get(key);
    if (known !== undefined) return known;
    if (this.#shown.size >= this.#max) return this.#other;
    const shown = wellFormed(cut(this.#redact(name), MAX_NAME_CHARS));
    this.#shown.set(key, shown);
    return shown;
  }
}
