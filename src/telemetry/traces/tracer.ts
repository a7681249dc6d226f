import type { Sampler } from "./sampler.ts";
import type { AttributeValue, EndedSpan, Span } from "./span.ts";
import { RandomIds, type TraceContext } from "./trace-context.ts";
import { WallClock } from "./wall-clock.ts";

/** What a span says about its operation when that has ended. */
export interface SpanResult {
  readonly name: string;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  readonly errorMessage: string | undefined;
}

/** A parent, with what other systems stored in its trace. */
export interface SpanParent extends TraceContext {
  readonly traceState?: string | undefined;
}

/** Starts and ends spans. */
export class Tracer {
  readonly #sampler: Sampler;
  readonly #onEnded: (span: EndedSpan) => void;
  readonly #ids = new RandomIds();
  readonly #clock = new WallClock();

  constructor(sampler: Sampler, onEnded: (span: EndedSpan) => void) {
    this.#sampler = sampler;
    this.#onEnded = onEnded;
  }

  /** Starts a span now; without a parent it begins a new trace. */
  start(kind: Span["kind"], parent: SpanParent | undefined, link?: TraceContext): Span {
    const traceId = parent?.traceId ?? this.#ids.traceId();
    return {
      traceId,
      spanId: this.#ids.spanId(),
      parentId: parent?.spanId,
      isSampled: this.#sampler(traceId, parent?.isSampled),
      traceState: parent?.traceState,
      link,
      kind,
      startMs: this.#clock.at(performance.now()),
    };
  }

  /** Ends a span now. Its result is only asked for if it is recorded. */
  end(span: Span, resultOf: () => SpanResult): void {
    if (!span.isSampled) return;
    const endMs = Math.max(span.startMs, this.#clock.at(performance.now()));
    const { name, attributes, errorMessage } = resultOf();
    // Written out, because copying objects with spread syntax takes several times as long.
    this.#onEnded({
      traceId: span.traceId,
      spanId: span.spanId,
      parentId: span.parentId,
      isSampled: true,
      traceState: span.traceState,
      link: span.link,
      kind: span.kind,
      startMs: span.startMs,
      endMs,
      name,
      attributes,
      errorMessage,
    });
  }
}
