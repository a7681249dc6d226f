/** Trains word vectors with the texts of tools. */

import { STOP_WORDS } from "../../src/search/stop-words.ts";
import { Batches } from "./batches.ts";
import { type Rows, WordVectors } from "./contrastive.ts";
import { newRandom } from "./random.ts";
import { rotate } from "./rotate.ts";
import type { StartingVectors } from "./starting-vectors.ts";
import type { Bag, TrainingTool } from "./training-texts.ts";

const MAX_WORDS = 10_700;
/** Some more than the starting vectors have. */
const DIMENSIONS = 128;
const MIN_TOOLS = 2;
const BATCH_SIZE = 256;
const RATE = 0.03;
const SEED = 20;
/** The share of the words of a question that is left out, as users leave words out. */
const DROPPED = 0.25;
const SHORTEST_HALF = 6;

export interface Trained {
  readonly words: readonly string[];
  readonly vectors: Float32Array;
}

export function train(
  tools: readonly TrainingTool[],
  start: StartingVectors,
  epochs: number,
): Trained {
  const random = newRandom(SEED);
  const frequency = toolsPerWord(tools);
  const words = chooseWords(frequency, start);
  const table = startingTable(words, frequency, tools.length, start, random);
  const vectors = new WordVectors(table, DIMENSIONS);
  const mean = new Float32Array(table.length);
  const averaged = Math.ceil(epochs / 2);
  const rowOf = new Map(words.map((word, row) => [word, row]));
  const batches = new Batches(tools, BATCH_SIZE, random);
  for (let epoch = 0; epoch < epochs; epoch++) {
    const losses: number[] = [];
    for (const batch of batches.epoch()) {
      const pairs = batch.map((tool) => ({ key: tool.key, ...pairOf(tool, rowOf, random) }));
      const useful = pairs.filter(
        ({ asked, tool }) => asked.rows.length > 0 && tool.rows.length > 0,
      );
      const loss = vectors.step(
        useful.map(({ asked }) => asked),
        useful.map(({ tool }) => tool),
        (i, j) => useful[i]?.key === useful[j]?.key,
        RATE * (1 - (0.9 * epoch) / epochs),
      );
      losses.push(loss);
    }
    const loss = losses.reduce((sum, one) => sum + one, 0) / losses.length;
    console.log(`epoch ${epoch + 1} of ${epochs}: loss ${loss.toFixed(4)}`);
    // The mean of the later epochs is less noisy than the last.
    if (epoch >= epochs - averaged)
      for (let i = 0; i < mean.length; i++) mean[i]! += vectors.table[i]! / averaged;
  }
  rotate(mean, toolVectors(tools, mean, rowOf), DIMENSIONS);
  return { words, vectors: mean };
}

/** Vectors of length 1, as a search has them. */
function toolVectors(
  tools: readonly TrainingTool[],
  table: Float32Array,
  rowOf: ReadonlyMap<string, number>,
): Float32Array[] {
  const bags = tools.map(({ whole }) => bagRows(whole, rowOf));
  const { units } = new WordVectors(table, DIMENSIONS).encode(bags);
  return bags.map((_, i) => units.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS));
}

/** A part of the tool's text and the rest of it. */
function pairOf(
  tool: TrainingTool,
  rowOf: ReadonlyMap<string, number>,
  random: () => number,
): { asked: Rows; tool: Rows } {
  const chosen = Math.floor(random() * (tool.pairs.length + 1));
  const pair = tool.pairs[chosen];
  if (pair !== undefined) {
    const kept = pair.asked.filter(() => random() >= DROPPED);
    const asked = kept.length > 0 ? kept : pair.asked;
    return { asked: rowsOf(asked, rowOf), tool: bagRows(pair.tool, rowOf) };
  }
  if (tool.described.length < SHORTEST_HALF)
    return { asked: rowsOf(tool.described, rowOf), tool: bagRows(tool.whole, rowOf) };
  const half = new Set(tool.described.filter(() => random() < 0.5));
  return { asked: rowsOf([...half], rowOf), tool: bagRows(tool.whole, rowOf, half) };
}

function rowsOf(terms: readonly string[], rowOf: ReadonlyMap<string, number>): Rows {
  const rows = terms.flatMap((term) => rowOf.get(term) ?? []);
  return { rows, weights: rows.map(() => 1) };
}

function bagRows(
  bag: Bag,
  rowOf: ReadonlyMap<string, number>,
  without: ReadonlySet<string> = new Set(),
): Rows {
  const rows: number[] = [];
  const weights: number[] = [];
  for (const [i, term] of bag.terms.entries()) {
    const row = without.has(term) ? undefined : rowOf.get(term);
    if (row === undefined) continue;
    rows.push(row);
    weights.push(bag.weights[i] as number);
  }
  return { rows, weights };
}

function toolsPerWord(tools: readonly TrainingTool[]): Map<string, number> {
  const count = new Map<string, number>();
  for (const { whole, described } of tools)
    for (const term of new Set([...whole.terms, ...described]))
      count.set(term, (count.get(term) ?? 0) + 1);
  return count;
}

/** The words of several tools; then common words that no tool uses, which users may. */
function chooseWords(frequency: ReadonlyMap<string, number>, start: StartingVectors): string[] {
  const used = [...frequency]
    .filter(
      ([word, count]) =>
        !STOP_WORDS.has(word) &&
        (count > MIN_TOOLS || (count === MIN_TOOLS && start.vectors.has(word))),
    )
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([word]) => word);
  const chosen = new Set(used.slice(0, MAX_WORDS));
  for (const word of start.vectors.keys()) {
    if (chosen.size >= MAX_WORDS) break;
    if (word.length > 2 && !STOP_WORDS.has(word)) chosen.add(word);
  }
  return [...chosen];
}

/** Rare words start longer, so that they count more. */
function startingTable(
  words: readonly string[],
  frequency: ReadonlyMap<string, number>,
  toolCount: number,
  { vectors }: StartingVectors,
  random: () => number,
): Float32Array {
  const table = new Float32Array(words.length * DIMENSIONS);
  for (const [row, word] of words.entries()) {
    const weight = Math.log(toolCount / (frequency.get(word) ?? 20)) / Math.log(toolCount);
    const known = vectors.get(word);
    for (let i = 0; i < DIMENSIONS; i++) {
      const noise = (random() - 0.5) * (known === undefined ? 0.1 : 0.03);
      table[row * DIMENSIONS + i] = weight * (known?.[i] ?? noise);
    }
  }
  return table;
}
