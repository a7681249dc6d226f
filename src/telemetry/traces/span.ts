import type { TraceContext } from "./trace-context.ts";

/** As OTLP numbers them. */
export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;

export type AttributeValue = string | number;

/** One operation that has begun, and maybe ended. */
export interface Span extends TraceContext {
  readonly parentId: string | undefined;
  /** What other systems stored in the trace; passed on, never read. */
  readonly traceState: string | undefined;
  /** The context of the HTTP request, if the message has another one. */
  readonly link?: TraceContext | undefined;
  readonly kind: (typeof SPAN_KIND)[keyof typeof SPAN_KIND];
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number;
}

/** A span that has ended, as it is exported. */
export interface EndedSpan extends Span {
  readonly name: string;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  /** Set if the operation failed; may be empty. */
  readonly errorMessage: string | undefined;
}
