/**
 * Which tools are told apart in one step of training. Tools of one server, and tools that share a word, are
 * the ones that a search confuses, so two thirds of the batches consist of them.
 */

import { shuffle } from "./random.ts";
import type { TrainingTool } from "./training-texts.ts";

const MAX_OF_SERVER = 64;
const TOOLS_PER_WORD = 64;
const RARE = 8;
const COMMON = 3_000;

export class Batches {
  readonly #tools: readonly TrainingTool[];
  readonly #size: number;
  readonly #random: () => number;
  readonly #byServer: readonly (readonly TrainingTool[])[];
  readonly #byWord: readonly (readonly TrainingTool[])[];

  constructor(tools: readonly TrainingTool[], size: number, random: () => number) {
    this.#tools = tools;
    this.#size = size;
    this.#random = random;
    this.#byServer = [...groupBy(tools, ({ server }) => [server]).values()];
    this.#byWord = [...groupBy(tools, ({ whole }) => whole.terms).values()].filter(
      ({ length }) => length >= RARE && length <= COMMON,
    );
  }

  /** As many tools as there are, in batches. */
  *epoch(): Generator<TrainingTool[]> {
    const count = Math.floor(this.#tools.length / this.#size);
    for (let i = 0; i < count; i++) yield this.#batch(i % 3);
  }

  #batch(kind: number): TrainingTool[] {
    const batch = new Set<TrainingTool>();
    while (batch.size < this.#size)
      for (const tool of this.#some(kind)) if (batch.size < this.#size) batch.add(tool);
    return [...batch];
  }

  #some(kind: number): readonly TrainingTool[] {
    if (kind === 0) return [this.#any(this.#tools)];
    if (kind === 1)
      return shuffle([...this.#any(this.#byServer)], this.#random).slice(0, MAX_OF_SERVER);
    const sharing = this.#any(this.#byWord);
    return Array.from({ length: Math.min(TOOLS_PER_WORD, sharing.length) }, () =>
      this.#any(sharing),
    );
  }

  #any<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }
}

function groupBy(
  tools: readonly TrainingTool[],
  keysOf: (tool: TrainingTool) => readonly string[],
): Map<string, TrainingTool[]> {
  const groups = new Map<string, TrainingTool[]>();
  for (const tool of tools)
    for (const key of keysOf(tool)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [tool]);
      else group.push(tool);
    }
  return groups;
}
