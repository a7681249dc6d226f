import { type Measure, type Results, rowOf } from "../harness/measure.ts";
import { median, pairedRatio } from "../harness/statistics.ts";

/** Looks up results; undefined for values that were not measured. */
export class Reading {
  readonly #measures: ReadonlyMap<string, Measure>;

  constructor({ measures }: Results) {
    this.#measures = new Map(measures.map((measure) => [measure.id, measure]));
  }

  subjects(id: string): string[] {
    return Object.keys(this.#measures.get(id)?.rows ?? {});
  }

  /** The median over the rounds. */
  value(id: string, subject: string): number | undefined {
    return known(median(rowOf(this.#measures.get(id), subject)));
  }

  /** The ratio to the base: the median of the ratios within each round. */
  ratio(id: string, subject: string, base: string): number | undefined {
    const measure = this.#measures.get(id);
    return known(pairedRatio(rowOf(measure, subject), rowOf(measure, base)));
  }

  largest(id: string, subject: string): number | undefined {
    const values = rowOf(this.#measures.get(id), subject);
    return values.length === 0 ? undefined : Math.max(...values);
  }
}

function known(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
