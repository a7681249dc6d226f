import type { AttributeValue } from "../traces/span.ts";

/**
 * Values as OTLP's JSON has them: 64-bit integers are decimal strings, ids are hexadecimal. The
 * protobuf encoding is written from the same objects.
 */

export interface KeyValue {
  readonly key: string;
  readonly value: OtlpValue;
}

export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

export function keyValues(
  attributes: Readonly<Record<string, AttributeValue | undefined>>,
): KeyValue[] {
  const written: KeyValue[] = [];
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined) written.push({ key, value: valueOf(value) });
  }
  return written;
}

function valueOf(value: AttributeValue): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Nanoseconds since 1970, of milliseconds with fractions. A double is exact only to microseconds. */
export function nanos(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}

/** What all exported data of this process has in common. */
export interface Origin {
  readonly resource: { readonly attributes: readonly KeyValue[] };
  readonly scope: { readonly name: string; readonly version: string };
}
