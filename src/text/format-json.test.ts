import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJson } from "./format-json.ts";

describe("formatted JSON", () => {
  it("looks like that of JSON.stringify", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        expect(JSON.parse(formatJson(text))).toEqual(value);
        expect(formatJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
      }),
    );
  });

  it("keeps the digits of numbers and the escapes of texts", () => {
    expect(formatJson('{"id":12345678901234567890,"n":1.50,"t":"\\u0041:{,\\""}')).toBe(
      '{\n  "id": 12345678901234567890,\n  "n": 1.50,\n  "t": "\\u0041:{,\\""\n}',
    );
  });
});
