import { describe, expect, it } from "vitest";
import { METRICS_REQUEST, TRACES_REQUEST } from "./otlp-fields.ts";
import { rejectedIn } from "./partial-success.ts";
import { type Message, encodeMessage } from "./protobuf.ts";

const hex = (value: object, message: Message): string =>
  encodeMessage(value, message).toString("hex");

/** The examples are those of the format's own documentation where it has some. */
describe("a message in the format of protocol buffers", () => {
  it.each<[string, object, Message, string]>([
    ["a varint", { a: 150 }, { a: [1, "enum"] }, "089601"],
    ["a string", { b: "testing" }, { b: [2, "string"] }, "120774657374696e67"],
    ["a message", { c: { a: 150 } }, { c: [3, { a: [1, "enum"] }] }, "1a03089601"],
    ["repeated messages", { c: [{}, {}] }, { c: [3, {}] }, "1a001a00"],
    ["packed doubles", { d: [1, 2] }, { d: [7, "double"] }, "3a10000000000000f03f0000000000000040"],
    ["bytes", { e: "00ff" }, { e: [1, "hex"] }, "0a0200ff"],
    ["a negative int64", { f: "-1" }, { f: [3, "int64"] }, "18ffffffffffffffffff01"],
    ["a fixed64", { g: "258" }, { g: [2, "fixed64"] }, "110201000000000000"],
    ["a large field number", { h: 1 }, { h: [16, "enum"] }, "800101"],
    ["a bool", { i: true }, { i: [3, "bool"] }, "1801"],
    ["nothing for what is undefined", { a: undefined }, { a: [1, "enum"] }, ""],
  ])("has %s", (_what, value, message, expected) => {
    expect(hex(value, message)).toBe(expected);
  });

  it("has lengths of any size", () => {
    const message: Message = { a: [1, { b: [1, "string"] }] };
    for (const size of [1, 124, 125, 126, 127, 16_378, 16_379, 16_380, 40_000]) {
      const bytes = encodeMessage({ a: { b: "é".repeat(size) } }, message);
      expect(bytes.subarray(-2 * size).toString()).toBe("é".repeat(size));
      expect(bytes.length).toBeLessThanOrEqual(2 * size + 10);
    }
  });

  it("fails for a field that has no number", () => {
    expect(() => encodeMessage({ x: 1 }, TRACES_REQUEST)).toThrow("no field 'x'");
    expect(() => encodeMessage({ resourceSpans: [] }, METRICS_REQUEST)).toThrow("no field");
  });
});

describe("the answer of a collector", () => {
  it.each([
    ["", 0],
    ["{}", 0],
    ['{"partialSuccess":{"rejectedSpans":"12","errorMessage":"x"}}', 12],
    ['{"partialSuccess":{"rejectedDataPoints":3}}', 3],
    [Buffer.from([0x0a, 0x02, 0x08, 0x05]), 5],
    [Buffer.from([0x0a, 0x03, 0x08, 0x96, 0x01]), 150],
    [Buffer.from([0x0a, 0x02, 0x12, 0x00]), 0],
    [Buffer.from([0x0a]), 0],
    [Buffer.alloc(1000, 0xff), 0],
    [Buffer.concat([Buffer.from([0x0a, 0x7f, 0x08]), Buffer.alloc(100, 0xff)]), 0],
  ])("%j says that %i items were rejected", (body, expected) => {
    expect(rejectedIn(Buffer.from(body))).toBe(expected);
  });
});
