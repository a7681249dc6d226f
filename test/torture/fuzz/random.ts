/** Random numbers that are the same for the same seed, so that every input can be made again. */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = 0x9e3779b9;
    for (const seed of seeds) {
      this.#state = Math.imul(this.#state ^ seed, 0x85ebca6b) >>> 0;
      this.#step();
    }
  }

  /** From 0 to below 1. */
  next(): number {
    return this.#step() / 2 ** 32;
  }

  /** A whole number from 0 to below `limit`. */
  int(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }

  #step(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return (value ^ (value >>> 14)) >>> 0;
  }
}
