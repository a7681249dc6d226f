import { describe, expect, it } from "vitest";
import { contextIn, metaWith } from "./meta-context.ts";
import { RandomIds, parseTraceparent, traceparentOf } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const VALID = `00-${TRACE}-${SPAN}-01`;

describe("a traceparent", () => {
  it.each([
    [VALID, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`cc-${TRACE}-${SPAN}-01-what-comes-later`, true],
  ])("%s is valid and sampled: %s", (text, isSampled) => {
    expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  it.each([
    undefined,
    7,
    "",
    "x",
    VALID.toUpperCase(),
    `${VALID}-x`,
    `${VALID}\n`,
    ` ${VALID}`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-1`,
  ])("%j is not valid", (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it("is written as it is read", () => {
    const ids = new RandomIds();
    for (let i = 0; i < 1000; i++) {
      const context = { traceId: ids.traceId(), spanId: ids.spanId(), isSampled: i % 2 === 0 };
      expect(parseTraceparent(traceparentOf(context))).toEqual(context);
    }
  });
});

describe("the context in _meta", () => {
  it("needs a valid traceparent, and takes along only what is harmless", () => {
    expect(contextIn({ traceparent: VALID, tracestate: "a=1", baggage: "k=v" })).toMatchObject({
      traceState: "a=1",
      baggage: "k=v",
    });
    expect(contextIn({ traceparent: VALID, tracestate: 7, baggage: "a\r\nb" })).toEqual({
      parent: { traceId: TRACE, spanId: SPAN, isSampled: true },
      traceState: undefined,
      baggage: undefined,
    });
    for (const meta of [undefined, null, [], { tracestate: "a=1" }, { traceparent: [VALID] }])
      expect(contextIn(meta)).toBeUndefined();
  });

  it.each([
    [undefined, '{"traceparent":"NEW"}'],
    ["{}", '{"traceparent":"NEW"}'],
    ['{ "a" : 1.0 , "b":2}', '{"a" : 1.0 , "b":2,"traceparent":"NEW"}'],
    ['{ "x":1, "traceparent" : "old" , "y":[ ] }', '{ "x":1, "traceparent" : "NEW" , "y":[ ] }'],
    ['{"traceparent":"1","a":1,"traceparent":"2"}', '{"a":1,"traceparent":"NEW"}'],
    ['{"tracepar\\u0065nt":"1","a":1}', '{"tracepar\\u0065nt":"NEW","a":1}'],
  ])("replaces its traceparent in %s and keeps the rest", (meta, expected) => {
    expect(metaWith(meta, { traceparent: "NEW" })).toBe(expected);
  });

  it("loses a state that belongs to another trace", () => {
    const meta = '{"tracestate":"x=1","a":1}';
    expect(metaWith(meta, { traceparent: "N", tracestate: undefined })).toBe(
      '{"a":1,"traceparent":"N"}',
    );
  });
});
