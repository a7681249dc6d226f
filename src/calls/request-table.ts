import { unsignedEnd } from "../wire/strict-json.ts";
import { NumberedTable } from "./numbered-table.ts";

const NOT_A_NUMBER = -1;

/** The requests of a client, by their ids as JSON. Most clients use the numbers 1, 2, 3 and so on. */
export class RequestTable<T> {
  readonly #numbered = new NumberedTable<T>();
  readonly #others = new Map<string, T>();

  get size(): number {
    return this.#numbered.size + this.#others.size;
  }

  get(idText: string): T | undefined {
    const number = numberOf(idText);
    return number === NOT_A_NUMBER ? this.#others.get(idText) : this.#numbered.get(number);
  }

  set(idText: string, request: T): void {
    const number = numberOf(idText);
    if (number === NOT_A_NUMBER) this.#others.set(idText, request);
    else this.#numbered.set(number, request);
  }

  delete(idText: string): void {
    const number = numberOf(idText);
    if (number === NOT_A_NUMBER) this.#others.delete(idText);
    else this.#numbered.delete(number);
  }

  clear(): void {
    this.#numbered.clear();
    this.#others.clear();
  }

  /** A list of all requests. */
  values(): T[] {
    return [...this.#numbered.values(), ...this.#others.values()];
  }

  /** A list of all requests, each with its id as JSON. */
  entries(): [idText: string, request: T][] {
    const numbered = this.#numbered.entries();
    return [
      ...numbered.map(([id, request]) => [String(id), request] as [string, T]),
      ...this.#others,
    ];
  }
}

/** Only for numbers that have one spelling. Others, such as `1.0` and `1e0`, are compared as text. */
function numberOf(idText: string): number {
  return unsignedEnd(idText, 0) === idText.length ? Number(idText) : NOT_A_NUMBER;
}
