import { NumberedTable } from "./numbered-table.ts";

/** As large as a number in a request may be that JavaScript represents exactly, in digits. */
const MAX_DIGITS = 15;
const ZERO = 0x30;
const NINE = 0x39;
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

/** The number that is always written like this. Others, such as `1.0` and `1e0`, are told apart by their text. */
function numberOf(idText: string): number {
  const { length } = idText;
  if (length > MAX_DIGITS || (idText.charCodeAt(0) === ZERO && length > 1)) return NOT_A_NUMBER;
  let number = 0;
  for (let i = 0; i < length; i++) {
    const digit = idText.charCodeAt(i);
    if (digit < ZERO || digit > NINE) return NOT_A_NUMBER;
    number = number * 10 + (digit - ZERO);
  }
  return number;
}
