import { ExportHealth, type ExportLog } from "./export-health.ts";
import type { MetricData } from "./metrics/metric-data.ts";
import type { OtelSettings } from "./otel-settings.ts";
import { METRICS_REQUEST } from "./otlp/otlp-fields.ts";
import { OtlpExporter } from "./otlp/otlp-exporter.ts";
import { metricsRequest } from "./otlp/otlp-metrics.ts";
import type { Origin } from "./otlp/otlp-values.ts";

/** Exports the values of all metrics periodically. */
export class MetricExport {
  readonly health: ExportHealth;
  readonly #exporter: OtlpExporter;
  readonly #collect: () => MetricData[];
  readonly #origin: Origin;
  readonly #startMs = Date.now();
  readonly #stopped = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #exporting: Promise<void> | undefined;

  constructor(
    settings: NonNullable<OtelSettings["metrics"]>,
    origin: Origin,
    log: ExportLog,
    collect: () => MetricData[],
  ) {
    this.#exporter = new OtlpExporter({ settings, message: METRICS_REQUEST });
    this.health = new ExportHealth("metrics", log);
    this.#origin = origin;
    this.#collect = collect;
    // If the collector is slow, the next values replace those that were not sent.
    this.#timer = setInterval(() => void this.#export(), settings.intervalMs).unref();
  }

  async flush(): Promise<void> {
    await this.#exporting;
    await this.#export();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopped.abort();
    this.#exporter.close();
  }

  #export(): Promise<void> {
    this.#exporting ??= this.#exportOnce().finally(() => {
      this.#exporting = undefined;
    });
    return this.#exporting;
  }

  async #exportOnce(): Promise<void> {
    const times = { startMs: this.#startMs, nowMs: Date.now() };
    const body = metricsRequest(this.#origin, this.#collect(), times);
    this.health.record(await this.#exporter.export([body], this.#stopped.signal));
  }
}
