import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHeaderValue } from "./header-value.ts";

describe("decodeHeaderValue", () => {
  it.each(["us-west1", "", "a b\tc", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?BASE64?SGVsbG8=?="])(
    "returns the plain value %j as it is",
    (value) => {
      expect(decodeHeaderValue(value)).toBe(value);
    },
  );

  it("decodes any base64-encoded text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const encoded = `=?base64?${Buffer.from(text).toString("base64")}?=`;
        expect(decodeHeaderValue(encoded)).toBe(text);
      }),
    );
  });

  it.each([
    ["no padding", "=?base64?SGVsbG8?="],
    ["foreign characters", "=?base64?SGVs!!!bG8=?="],
    ["the URL alphabet", "=?base64?-_-_?="],
    ["bytes that are not UTF-8", "=?base64?/w==?="],
    ["left-over bits", "=?base64?SGVsbG9=?="],
    ["a character that is not ASCII", "caf\u00e9"],
    ["a control character", "a\u0001b"],
  ])("rejects a value with %s", (_what, value) => {
    expect(decodeHeaderValue(value)).toBeUndefined();
  });
});
