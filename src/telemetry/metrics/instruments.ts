import type { Attributes, HistogramPoint, MetricData, MetricInfo } from "./metric-data.ts";

/** Series of one metric. All others share one more, as OpenTelemetry's own libraries do it. */
export const MAX_SERIES = 1000;
const OVERFLOW: Attributes = { "otel.metric.overflow": "true" };

/** The series of a metric by their keys; no more of them than there may be. */
class BoundedSeries<T> {
  readonly all = new Map<string, T>();
  readonly #create: (attributes: Attributes) => T;
  readonly #max: number;
  #overflow: T | undefined;

  constructor(create: (attributes: Attributes) => T, max: number) {
    this.#create = create;
    this.#max = max;
  }

  get(key: string, attributesOf: () => Attributes): T {
    const known = this.all.get(key);
    if (known !== undefined) return known;
    if (this.all.size >= this.#max) {
      this.#overflow ??= this.#create(OVERFLOW);
      return this.#overflow;
    }
    const created = this.#create(attributesOf());
    this.all.set(key, created);
    return created;
  }

  *values(): Generator<T> {
    yield* this.all.values();
    if (this.#overflow !== undefined) yield this.#overflow;
  }
}

interface CounterSeries {
  readonly attributes: Attributes;
  value: number;
}

/** A sum that only grows. */
export class Counter {
  readonly #info: MetricInfo;
  readonly #series: BoundedSeries<CounterSeries>;

  constructor(info: Omit<MetricInfo, "kind">, max = MAX_SERIES) {
    this.#info = { ...info, kind: "counter" };
    this.#series = new BoundedSeries((attributes) => ({ attributes, value: 0 }), max);
  }

  /** `key` identifies the attributes, which are needed only for a new series. */
  add(value: number, key: string, attributesOf: () => Attributes): void {
    this.#series.get(key, attributesOf).value += value;
  }

  collect(): MetricData {
    return { info: this.#info, points: Array.from(this.#series.values(), (one) => ({ ...one })) };
  }
}

class HistogramSeries {
  readonly attributes: Attributes;
  readonly counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(attributes: Attributes, buckets: number) {
    this.attributes = attributes;
    this.counts = new Float64Array(buckets);
  }
}

/** A distribution of values over buckets. */
export class Histogram {
  readonly #info: MetricInfo;
  readonly #bounds: readonly number[];
  readonly #series: BoundedSeries<HistogramSeries>;

  constructor(info: Omit<MetricInfo, "kind">, bounds: readonly number[], max = MAX_SERIES) {
    this.#info = { ...info, kind: "histogram" };
    this.#bounds = bounds;
    this.#series = new BoundedSeries(
      (attributes) => new HistogramSeries(attributes, bounds.length + 1),
      max,
    );
  }

  record(value: number, key: string, attributesOf: () => Attributes): void {
    const series = this.#series.get(key, attributesOf);
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
    series.count++;
  }

  collect(): MetricData {
    const histograms = Array.from(
      this.#series.values(),
      ({ attributes, counts, sum, count }): HistogramPoint => ({
        attributes,
        counts: [...counts],
        sum,
        count,
      }),
    );
    return { info: this.#info, bounds: this.#bounds, histograms };
  }
}
