/** Trace context in the `_meta` of requests: `traceparent`, `tracestate` and `baggage`. */
import { isObject } from "../../text/json.ts";
import { scanMembers, withMembers } from "../../wire/members.ts";
import { type TraceContext, parseTraceparent } from "./trace-context.ts";

/** The context that a request brings. */
export interface GivenContext {
  readonly parent: TraceContext;
  readonly traceState: string | undefined;
  readonly baggage: string | undefined;
}

/** Longer values are forwarded where they are, but not copied to other places. */
const MAX_STATE_CHARS = 512;
const MAX_BAGGAGE_CHARS = 8192;
const PRINTABLE = /^[\t\x20-\x7e]*$/;

export function contextIn(meta: unknown): GivenContext | undefined {
  if (!isObject(meta)) return undefined;
  const parent = parseTraceparent(meta["traceparent"]);
  if (parent === undefined) return undefined;
  return {
    parent,
    traceState: copied(meta["tracestate"], MAX_STATE_CHARS),
    baggage: copied(meta["baggage"], MAX_BAGGAGE_CHARS),
  };
}

function copied(value: unknown, max: number): string | undefined {
  const isUsable = typeof value === "string" && value.length <= max && PRINTABLE.test(value);
  return isUsable && value !== "" ? value : undefined;
}

/** What is written into `_meta`: a value, or undefined for a member that has to go. */
export interface MetaChanges {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
}

/** `_meta` with these members replaced, added or removed; the text of all others is unchanged. */
export function metaWith(meta: string | undefined, changes: MetaChanges): string {
  const { traceparent, ...others } = changes;
  const own = `"${traceparent}"`;
  let text = meta === undefined ? `{"traceparent":${own}}` : withMember(meta, "traceparent", own);
  for (const [key, value] of Object.entries(others))
    text = withMember(text, key, value && JSON.stringify(value));
  return text;
}

/** Replaces in place what is there once, so that nothing around it changes. */
function withMember(text: string, key: string, value: string | undefined): string {
  let count = 0;
  let from = 0;
  let to = 0;
  const end = scanMembers(text, 0, (other, start, skip) => {
    const valueEnds = skip(start);
    if (other === key) {
      count++;
      from = start;
      to = valueEnds;
    }
    return valueEnds;
  });
  if (end === undefined || (count === 0 && value === undefined)) return text;
  if (count === 1 && value !== undefined) return text.slice(0, from) + value + text.slice(to);
  return withMembers(text, { [key]: value });
}
