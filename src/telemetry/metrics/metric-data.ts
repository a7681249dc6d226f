/** Attributes of a series, by their OpenTelemetry names. Absent ones have no entry. */
export type Attributes = Readonly<Record<string, string>>;

export type MetricKind = "counter" | "gauge" | "histogram";

/** What is known of a metric before anything is measured. */
export interface MetricInfo {
  readonly kind: MetricKind;
  /** The OpenTelemetry name. */
  readonly name: string;
  /** The name for Prometheus, with the suffixes that it expects. */
  readonly prometheusName: string;
  /** The unit in UCUM: `s`, `By`, `{call}`. */
  readonly unit: string;
  readonly description: string;
}

export interface NumberPoint {
  readonly attributes: Attributes;
  readonly value: number;
}

export interface HistogramPoint {
  readonly attributes: Attributes;
  /** For each bound the values up to it that are above the bound before; then all others. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** The state of a metric at one moment. */
export type MetricData =
  | { readonly info: MetricInfo; readonly points: readonly NumberPoint[] }
  | {
      readonly info: MetricInfo;
      readonly bounds: readonly number[];
      readonly histograms: readonly HistogramPoint[];
    };
