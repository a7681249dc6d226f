import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { formatJson } from "./json-layout.ts";

describe("layOut", () => {
  it("puts short lists and plain objects on one line", () => {
    const value = {
      a: { command: "npx", args: ["-y", "x"] },
      b: { url: "https://x" },
      c: {},
      d: [],
    };
    expect(formatJson(value)).toBe(
      [
        "{",
        '  "a": {',
        '    "command": "npx",',
        '    "args": ["-y", "x"]',
        "  },",
        '  "b": { "url": "https://x" },',
        '  "c": {},',
        '  "d": []',
        "}",
      ].join("\n"),
    );
  });

  it("breaks long lists into lines", () => {
    const value = { list: Array.from({ length: 12 }, () => "0123456789") };
    expect(formatJson(value).split("\n").length).toBe(16);
    expect(
      Math.max(
        ...formatJson(value)
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThan(100);
  });

  it("writes JSON with the same meaning", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(formatJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
