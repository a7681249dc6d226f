import type { EndedSpan } from "../traces/span.ts";
import { type KeyValue, type Origin, keyValues, nanos } from "./otlp-values.ts";

const ERROR = 2;

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState?: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** The body of a request to `/v1/traces`. */
export function tracesRequest({ resource, scope }: Origin, spans: readonly EndedSpan[]): object {
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] }] };
}

function otlpSpan(span: EndedSpan): OtlpSpan {
  const { traceId, spanId, traceState, parentId, link, errorMessage } = span;
  return {
    traceId,
    spanId,
    ...(traceState !== undefined && { traceState }),
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: keyValues(span.attributes),
    ...(link !== undefined && { links: [{ traceId: link.traceId, spanId: link.spanId }] }),
    status:
      errorMessage === undefined
        ? {}
        : { code: ERROR, ...(errorMessage !== "" && { message: errorMessage }) },
  };
}
