/**
 * Metrics and traces of a workbench, without dependencies. OpenTelemetry's libraries for this (SDK and
 * exporters, 2.2 and 0.208) take 142 ms of processor time and 18 MB to load, and are 31 packages with 42 MB;
 * prom-client 15 takes 49 ms and 12 MB. This code takes 14 ms and 5 MB, most of it for Node's own HTTP
 * client. What is exported follows the conventions, and the full suite reads it with the published
 * definitions and with Prometheus.
 */
import { SessionNames } from "../audit/session-names.ts";
import { NAME, VERSION } from "../version.ts";
import { CallTelemetry } from "./call-telemetry.ts";
import type { ExportHealth, ExportLog } from "./export-health.ts";
import { MetricExport } from "./metric-export.ts";
import { CallMetrics } from "./metrics/call-metrics.ts";
import type { MetricData } from "./metrics/metric-data.ts";
import { observed, point } from "./metrics/observed.ts";
import { processMetrics } from "./metrics/process-metrics.ts";
import { type KnownNames, OperationNames } from "./operation.ts";
import type { OtelSettings } from "./otel-settings.ts";
import { type Origin, keyValues } from "./otlp/otlp-values.ts";
import { TraceExport } from "./trace-export.ts";
import { CallSpans } from "./traces/call-spans.ts";
import { Tracer } from "./traces/tracer.ts";

export interface TelemetryOptions extends KnownNames {
  readonly settings: OtelSettings;
  readonly log: ExportLog;
  /** Distinguishes this process from others with the same configuration. */
  readonly instance: string;
  /** What the workbench knows about its servers. */
  readonly gauges: () => MetricData[];
}

/** How long a program that ends waits for the collector. */
const FLUSH_MS = 1000;

export class Telemetry {
  readonly calls: CallTelemetry;
  readonly metrics = new CallMetrics();
  readonly #options: TelemetryOptions;
  readonly #traceExport: TraceExport | undefined;
  readonly #metricExport: MetricExport | undefined;

  constructor(options: TelemetryOptions) {
    const { settings, log, redact } = options;
    this.#options = options;
    for (const warning of settings.warnings) log.warn(warning);
    const origin = originOf(options);
    const { traces, metrics } = settings;
    this.#traceExport = traces && new TraceExport(traces, origin, log);
    this.#metricExport = metrics && new MetricExport(metrics, origin, log, () => this.collect());
    const names = new OperationNames(options);
    const sessions = new SessionNames();
    const { queue } = this.#traceExport ?? {};
    const spans =
      traces &&
      new CallSpans({
        tracer: new Tracer(traces.sampler, (span) => queue?.add(span)),
        names,
        sessions,
        propagates: traces.propagates,
        redact,
      });
    this.calls = new CallTelemetry(this.metrics, names, spans);
  }

  /** The state of all metrics now. */
  collect(): MetricData[] {
    const { inFlight } = this.metrics;
    return [
      ...this.metrics.collect(),
      observed("gauge", "calls_in_flight", "{call}", "Calls without an answer", [point(inFlight)]),
      ...this.#options.gauges(),
      ...this.#exportMetrics(),
      ...processMetrics(),
    ];
  }

  /** Exports what has not been exported, as far as that is possible in a short time. */
  async close(): Promise<void> {
    const flushed = Promise.all([this.#traceExport?.flush(), this.#metricExport?.flush()]);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, FLUSH_MS)));
    await Promise.race([flushed, late]);
    clearTimeout(timer);
    this.#traceExport?.stop();
    this.#metricExport?.stop();
    // What was cut off ends at once, and the log says why it was lost.
    await flushed;
  }

  /** What became of the exports themselves. */
  #exportMetrics(): MetricData[] {
    const { queue } = this.#traceExport ?? {};
    const of = (pick: (health: ExportHealth) => number): ReturnType<typeof point>[] =>
      Object.entries({
        traces: this.#traceExport?.health,
        metrics: this.#metricExport?.health,
      }).flatMap(([signal, health]) => (health ? [point(pick(health), { signal })] : []));
    return [
      observed(
        "counter",
        "telemetry_spans_dropped",
        "{span}",
        "Spans that were not exported, because the queue was full or the collector failed",
        queue ? [point(queue.dropped)] : [],
      ),
      observed(
        "counter",
        "telemetry_spans_exported",
        "{span}",
        "Spans that the collector accepted",
        queue ? [point(queue.exported)] : [],
      ),
      observed(
        "counter",
        "telemetry_export_failures",
        "{export}",
        "Exports that failed after all attempts",
        of((health) => health.failures),
      ),
      observed(
        "counter",
        "telemetry_rejected",
        "{item}",
        "Spans and values that the collector rejected",
        of((health) => health.rejected),
      ),
    ];
  }
}

function originOf({ settings, instance }: TelemetryOptions): Origin {
  const attributes = {
    "service.name": NAME,
    "service.version": VERSION,
    "service.instance.id": instance,
    "process.pid": process.pid,
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.name": NAME,
    "telemetry.sdk.version": VERSION,
    ...Object.fromEntries(settings.resource),
  };
  return {
    resource: { attributes: keyValues(attributes) },
    scope: { name: NAME, version: VERSION },
  };
}
