import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";
import { describe, expect, it } from "vitest";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";

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

describe("encodeHeaderValue", () => {
  it.each([
    ["us-west1", "us-west1"],
    ["us west 1", "us west 1"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["\tindented", "=?base64?CWluZGVudGVk?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="],
    ["", "=?base64??="],
  ])("writes %j as %s", (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
  });

  it("is reversible, and writes only characters that a header may contain", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (value) => {
        // Half of a pair of surrogates has no bytes of its own.
        const text = Buffer.from(value).toString();
        const header = encodeHeaderValue(text);
        expect(header).toMatch(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
        expect(decodeHeaderValue(header)).toBe(text);
      }),
    );
  });
});
