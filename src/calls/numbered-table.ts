const MIN_SLOTS = 16;
const MAX_SLOTS = 4096;
const FREE = -1;

/**
 * Values by number, for the ids of requests: numbers that follow each other and are soon deleted.
 *
 * A `Map` replaces its table every few dozen requests, and V8 keeps a reference from each table to the next
 * one. As soon as one of them is old, the requests in all later ones survive every quick garbage collection,
 * which made calls a third slower. Here a number has a slot of its own as long as no later one needs it.
 */
export class NumberedTable<T> {
  #numbers: number[] = Array.from({ length: MIN_SLOTS }, () => FREE);
  #values: (T | undefined)[] = Array.from({ length: MIN_SLOTS });
  /** Values whose slot was needed by another number: requests that take very long. */
  readonly #displaced = new Map<number, T>();
  #inSlots = 0;

  get size(): number {
    return this.#inSlots + this.#displaced.size;
  }

  get(number: number): T | undefined {
    const slot = this.#slotOf(number);
    if (this.#numbers[slot] === number) return this.#values[slot];
    return this.#displaced.size === 0 ? undefined : this.#displaced.get(number);
  }

  set(number: number, value: T): void {
    let slot = this.#slotOf(number);
    if (this.#numbers[slot] !== number) {
      if (this.#displaced.size > 0) this.#displaced.delete(number);
      while (this.#numbers[slot] !== FREE && this.#isCrowded) {
        this.#grow();
        slot = this.#slotOf(number);
      }
      if (this.#numbers[slot] === FREE) this.#inSlots++;
      else this.#displaced.set(this.#numbers[slot] as number, this.#values[slot] as T);
      this.#numbers[slot] = number;
    }
    this.#values[slot] = value;
  }

  delete(number: number): void {
    const slot = this.#slotOf(number);
    if (this.#numbers[slot] !== number) {
      this.#displaced.delete(number);
      return;
    }
    this.#numbers[slot] = FREE;
    this.#values[slot] = undefined;
    this.#inSlots--;
  }

  clear(): void {
    this.#numbers.fill(FREE);
    this.#values.fill(undefined);
    this.#displaced.clear();
    this.#inSlots = 0;
  }

  /** A list of the values in the order of their numbers. */
  values(): T[] {
    return this.entries().map(([, value]) => value);
  }

  /** A list of the numbers and their values, in order. */
  entries(): [number: number, value: T][] {
    const numbers = [...this.#displaced.keys(), ...this.#numbers.filter((n) => n !== FREE)];
    return numbers.sort((a, b) => a - b).map((number) => [number, this.get(number) as T]);
  }

  #slotOf(number: number): number {
    return number & (this.#numbers.length - 1);
  }

  /** Only a few numbers share a slot unless half of the slots are in use. */
  get #isCrowded(): boolean {
    return this.#inSlots * 2 > this.#numbers.length && this.#numbers.length < MAX_SLOTS;
  }

  /** Two numbers in different slots are in different slots afterwards, too. */
  #grow(): void {
    const numbers = this.#numbers;
    const values = this.#values;
    const length = numbers.length * 2;
    this.#numbers = Array.from({ length }, () => FREE);
    this.#values = Array.from({ length });
    for (const [old, number] of numbers.entries()) {
      if (number === FREE) continue;
      const slot = this.#slotOf(number);
      this.#numbers[slot] = number;
      this.#values[slot] = values[old];
    }
  }
}
