/**
 * Moves word vectors so that the sum over the words of a question is close to the sum over the words of the
 * tool it belongs to, and far from those of the other tools of the batch (InfoNCE in both directions).
 */

/** The words of one side of a pair: rows of the table, with weights. */
export interface Rows {
  readonly rows: readonly number[];
  readonly weights: readonly number[];
}

const TEMPERATURE = 0.06;
/** Smaller gradients change nothing. */
const NEGLIGIBLE = 1e-5;

export class WordVectors {
  readonly table: Float32Array;
  readonly #dimensions: number;
  /** The sum of squared gradients of each row: words that are seen often move less (Adagrad). */
  readonly #seen: Float64Array;

  constructor(table: Float32Array, dimensions: number) {
    this.table = table;
    this.#dimensions = dimensions;
    this.#seen = new Float64Array(table.length / dimensions).fill(1e-8);
  }

  /** One step over a batch. `excluded(i, j)`: tool j is no wrong answer for question i. Returns the loss. */
  step(
    questions: readonly Rows[],
    tools: readonly Rows[],
    excluded: (i: number, j: number) => boolean,
    rate: number,
  ): number {
    const asked = this.encode(questions);
    const answers = this.encode(tools);
    const n = questions.length;
    const { gradient, loss } = infoNce(asked.units, answers.units, n, this.#dimensions, excluded);
    const toAsked = new Float32Array(asked.units.length);
    const toAnswers = new Float32Array(answers.units.length);
    spread(gradient, n, this.#dimensions, asked.units, answers.units, toAsked, toAnswers);
    const changes = new Map<number, Float64Array>();
    this.#collect(questions, asked, toAsked, changes);
    this.#collect(tools, answers, toAnswers, changes);
    this.#apply(changes, rate);
    return loss;
  }

  /** The sums over the words of each bag, of length 1, and the lengths they had. */
  encode(bags: readonly Rows[]): { units: Float32Array; lengths: Float64Array } {
    const d = this.#dimensions;
    const units = new Float32Array(bags.length * d);
    const lengths = new Float64Array(bags.length);
    for (const [b, { rows, weights }] of bags.entries()) {
      const at = b * d;
      for (const [k, row] of rows.entries()) {
        const weight = weights[k] as number;
        for (let i = 0; i < d; i++) units[at + i]! += weight * this.table[row * d + i]!;
      }
      let squares = 0;
      for (let i = 0; i < d; i++) squares += units[at + i]! ** 2;
      const length = Math.sqrt(squares) || 1;
      for (let i = 0; i < d; i++) units[at + i]! /= length;
      lengths[b] = length;
    }
    return { units, lengths };
  }

  /** The gradient of each word from the gradients of the normalised sums. */
  #collect(
    bags: readonly Rows[],
    { units, lengths }: { units: Float32Array; lengths: Float64Array },
    gradients: Float32Array,
    changes: Map<number, Float64Array>,
  ): void {
    const d = this.#dimensions;
    for (const [b, { rows, weights }] of bags.entries()) {
      const at = b * d;
      let along = 0;
      for (let i = 0; i < d; i++) along += gradients[at + i]! * units[at + i]!;
      for (let i = 0; i < d; i++)
        gradients[at + i] = (gradients[at + i]! - along * units[at + i]!) / lengths[b]!;
      for (const [k, row] of rows.entries()) {
        let change = changes.get(row);
        if (change === undefined) changes.set(row, (change = new Float64Array(d)));
        const weight = weights[k] as number;
        for (let i = 0; i < d; i++) change[i]! += weight * gradients[at + i]!;
      }
    }
  }

  #apply(changes: ReadonlyMap<number, Float64Array>, rate: number): void {
    const d = this.#dimensions;
    for (const [row, change] of changes) {
      let squares = 0;
      for (let i = 0; i < d; i++) squares += change[i]! ** 2;
      this.#seen[row]! += squares / d;
      const step = rate / Math.sqrt(this.#seen[row]!);
      for (let i = 0; i < d; i++) this.table[row * d + i]! -= step * change[i]!;
    }
  }
}

/** The loss and its gradient for every pair of a question and a tool. */
function infoNce(
  asked: Float32Array,
  answers: Float32Array,
  n: number,
  d: number,
  excluded: (i: number, j: number) => boolean,
): { gradient: Float32Array; loss: number } {
  const odds = new Float32Array(n * n);
  const ofRow = new Float64Array(n);
  const ofColumn = new Float64Array(n);
  let loss = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      if (i !== j && excluded(i, j)) continue;
      let cosine = 0;
      for (let k = 0; k < d; k++) cosine += asked[i * d + k]! * answers[j * d + k]!;
      const odd = Math.exp((cosine - 1) / TEMPERATURE);
      odds[i * n + j] = odd;
      ofRow[i]! += odd;
      ofColumn[j]! += odd;
      if (i === j) loss -= (2 * (cosine - 1)) / TEMPERATURE;
    }
  for (let i = 0; i < n; i++) loss += Math.log(ofRow[i]!) + Math.log(ofColumn[i]!);
  const gradient = odds;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const odd = odds[i * n + j]!;
      const right = i === j ? 2 : 0;
      gradient[i * n + j] = (odd / ofRow[i]! + odd / ofColumn[j]! - right) / TEMPERATURE / n;
    }
  return { gradient, loss: loss / (2 * n) };
}

function spread(
  gradient: Float32Array,
  n: number,
  d: number,
  asked: Float32Array,
  answers: Float32Array,
  toAsked: Float32Array,
  toAnswers: Float32Array,
): void {
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const g = gradient[i * n + j]!;
      if (Math.abs(g) < NEGLIGIBLE) continue;
      for (let k = 0; k < d; k++) {
        toAsked[i * d + k]! += g * answers[j * d + k]!;
        toAnswers[j * d + k]! += g * asked[i * d + k]!;
      }
    }
}
