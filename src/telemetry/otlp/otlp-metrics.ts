import type { MetricData } from "../metrics/metric-data.ts";
import { type Origin, keyValues, nanos } from "./otlp-values.ts";

const CUMULATIVE = 2;

/** Since when the values are counted, and when they were read. */
export interface MetricTimes {
  readonly startMs: number;
  readonly nowMs: number;
}

/** The body of a request to `/v1/metrics`. A metric without series is left out. */
export function metricsRequest(
  { resource, scope }: Origin,
  data: readonly MetricData[],
  times: MetricTimes,
): object {
  const metrics = data.flatMap((metric) => {
    const { name, description, unit } = metric.info;
    const values = valuesOf(metric, times);
    return values === undefined ? [] : [{ name, description, unit, ...values }];
  });
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] };
}

function valuesOf(metric: MetricData, { startMs, nowMs }: MetricTimes): object | undefined {
  const when = { startTimeUnixNano: nanos(startMs), timeUnixNano: nanos(nowMs) };
  if ("bounds" in metric) {
    if (metric.histograms.length === 0) return undefined;
    const dataPoints = metric.histograms.map(({ attributes, counts, sum, count }) => ({
      ...when,
      count: String(count),
      sum,
      bucketCounts: counts.map(String),
      explicitBounds: metric.bounds,
      attributes: keyValues(attributes),
    }));
    return { histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
  }
  if (metric.points.length === 0) return undefined;
  const dataPoints = metric.points.map(({ attributes, value }) => ({
    ...when,
    ...(Number.isSafeInteger(value) ? { asInt: String(value) } : { asDouble: value }),
    attributes: keyValues(attributes),
  }));
  if (metric.info.kind === "gauge") return { gauge: { dataPoints } };
  return { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
}
