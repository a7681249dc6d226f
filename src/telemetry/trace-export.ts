import { ExportHealth, type ExportLog } from "./export-health.ts";
import type { OtelSettings } from "./otel-settings.ts";
import { TRACES_REQUEST } from "./otlp/otlp-fields.ts";
import { OtlpExporter } from "./otlp/otlp-exporter.ts";
import { tracesRequest } from "./otlp/otlp-traces.ts";
import type { Origin } from "./otlp/otlp-values.ts";
import type { EndedSpan } from "./traces/span.ts";
import { SpanQueue } from "./traces/span-queue.ts";

/** Spans that are written at once; while that happens, calls wait. */
const PART_SPANS = 32;

function* requestParts(origin: Origin, spans: readonly EndedSpan[]): Generator<object> {
  for (let i = 0; i < spans.length; i += PART_SPANS)
    yield tracesRequest(origin, spans.slice(i, i + PART_SPANS));
}

/** Exports spans in batches. */
export class TraceExport {
  readonly queue: SpanQueue;
  readonly health: ExportHealth;
  readonly #exporter: OtlpExporter;
  readonly #stopped = new AbortController();

  constructor(settings: NonNullable<OtelSettings["traces"]>, origin: Origin, log: ExportLog) {
    this.#exporter = new OtlpExporter({ settings, message: TRACES_REQUEST });
    this.health = new ExportHealth("traces", log);
    this.queue = new SpanQueue({
      ...settings,
      send: async (spans) => {
        const parts = requestParts(origin, spans);
        const sent = await this.#exporter.export(parts, this.#stopped.signal);
        // A collector may claim anything.
        const rejected = sent.isDone ? Math.min(sent.rejected, spans.length) : spans.length;
        this.health.record(sent.isDone ? { isDone: true, rejected } : sent);
        return rejected;
      },
    });
  }

  flush(): Promise<void> {
    return this.queue.flush();
  }

  stop(): void {
    this.#stopped.abort();
    this.#exporter.close();
  }
}
