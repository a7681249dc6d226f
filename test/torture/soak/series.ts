/**
 * A figure that is measured repeatedly. It is flat if the line that fits the second half of its
 * values best (least squares) does not rise: by no more than a little over that half, which allows
 * for calls that happen to be in flight, or no faster than the limit per hour within the scatter of
 * the values (twice the standard error of the slope).
 */
export interface Line {
  readonly slopePerHour: number;
  readonly errorPerHour: number;
  /** By how much the line rises over the time it covers. */
  readonly rise: number;
}

export interface Flatness {
  readonly perHour: number;
  readonly rise: number;
}

const HOUR_MS = 3_600_000;

export class Series {
  readonly name: string;
  readonly unit: string;
  readonly #allowed: Flatness;
  readonly #points: { at: number; value: number }[] = [];

  constructor(name: string, unit: string, allowed: Flatness) {
    this.name = name;
    this.unit = unit;
    this.#allowed = allowed;
  }

  add(at: number, value: number): void {
    this.#points.push({ at, value });
  }

  get values(): number[] {
    return this.#points.map(({ value }) => value);
  }

  get secondHalf(): Line {
    return fit(this.#points.slice(Math.floor(this.#points.length / 2)));
  }

  get isFlat(): boolean {
    const { slopePerHour, errorPerHour, rise } = this.secondHalf;
    return rise <= this.#allowed.rise || slopePerHour - 2 * errorPerHour <= this.#allowed.perHour;
  }
}

/** The line with the least squares of distances. */
export function fit(points: readonly { at: number; value: number }[]): Line {
  const count = points.length;
  const mean = (of: (point: { at: number; value: number }) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / count;
  const at = mean((point) => point.at);
  const value = mean((point) => point.value);
  const spread = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0);
  if (count < 3 || spread === 0) return { slopePerHour: 0, errorPerHour: 0, rise: 0 };
  const slope =
    points.reduce((sum, point) => sum + (point.at - at) * (point.value - value), 0) / spread;
  const squares = points.reduce(
    (sum, point) => sum + (point.value - value - slope * (point.at - at)) ** 2,
    0,
  );
  const error = Math.sqrt(squares / (count - 2) / spread);
  const covered = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0);
  return { slopePerHour: slope * HOUR_MS, errorPerHour: error * HOUR_MS, rise: slope * covered };
}
