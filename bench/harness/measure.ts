/** The results of a run: one value per round for each subject, in the order of the rounds. */
export interface Measure {
  readonly id: string;
  readonly unit: "us" | "ms" | "MB" | "calls/s" | "instructions";
  readonly rows: Readonly<Record<string, readonly number[]>>;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly system: string;
  readonly node: string;
}

/** A run of some phases after the full one. */
export interface LaterRun {
  readonly phases: string;
  readonly date: string;
  readonly loadBefore: number;
}

export interface Results {
  readonly machine: Machine;
  readonly date: string;
  readonly command: string;
  /** The load average over a minute at the start; a value far above zero means a noisy run. */
  readonly loadBefore: number;
  readonly seconds: number;
  /** Runs whose measures have replaced those of the full run. */
  readonly later?: readonly LaterRun[];
  readonly measures: readonly Measure[];
}

/** Collects the values of a measure round by round. */
export class Rows {
  readonly #rows: Record<string, number[]> = {};

  add(subject: string, value: number): void {
    // Four significant digits are more than any machine repeats.
    (this.#rows[subject] ??= []).push(Number(value.toPrecision(4)));
  }

  measure(id: string, unit: Measure["unit"]): Measure {
    return { id, unit, rows: this.#rows };
  }
}

export function rowOf(measure: Measure | undefined, subject: string): readonly number[] {
  return measure?.rows[subject] ?? [];
}
