import { randomFillSync } from "node:crypto";

/** The position of a span in its trace, as W3C Trace Context defines it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** The context in a `traceparent`; undefined if it is not valid. */
export function parseTraceparent(text: unknown): TraceContext | undefined {
  if (typeof text !== "string") return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === "ff") return undefined;
  // Later versions may have further fields.
  if (version === "00" && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

const POOL_BYTES = 4096;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const NO_ID = "0".repeat(2 * TRACE_ID_BYTES);

/** Random ids. Random bytes are fetched for many of them at once, which is much faster. */
export class RandomIds {
  readonly #pool = Buffer.alloc(POOL_BYTES);
  #used = POOL_BYTES;

  traceId(): string {
    return this.#next(TRACE_ID_BYTES);
  }

  spanId(): string {
    return this.#next(SPAN_ID_BYTES);
  }

  #next(bytes: number): string {
    if (this.#used + bytes > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += bytes;
    const id = this.#pool.toString("hex", start, this.#used);
    // All zeros means that there is no id.
    return id === NO_ID.slice(0, id.length) ? this.#next(bytes) : id;
  }
}
