import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";
import { describe, expect, it } from "vitest";

import { safeJson, safeLine, safeText } from "./safe-text.ts";

const OBEYED =
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const anyText = fc.string({ unit: anyCharacter });

describe("text from servers, made safe for a terminal,", () => {
  it("shows control sequences instead of executing them", () => {
    expect(safeText("\u001b[31mred\u001b[0m")).toBe("\\u001b[31mred\\u001b[0m");
    expect(safeText("\u009b2J")).toBe("\\u009b2J");
    expect(safeText("a\u202eb")).toBe("a\\u202eb");
    expect(safeText("over\rwritten")).toBe("over\\u000dwritten");
  });

  it("shows characters without a picture, in which text can be hidden", () => {
    expect(safeText("a\u200bb\u00adc")).toBe("a\\u200bb\\u00adc");
    expect(safeText("x\u{e0041}")).toBe("x\\udb40\\udc41");
    // Of these, scripts and emoji are made.
    expect(safeText("\u0646\u200c\u0628 👩\u200d💻 ❤\ufe0f")).toBe(
      "\u0646\u200c\u0628 👩\u200d💻 ❤\ufe0f",
    );
  });

  it("keeps ordinary lines, tabs, letters and emoji", () => {
    const text = "one\r\ntwo\tthree é 工具 🎈";
    expect(safeText(text)).toBe("one\ntwo\tthree é 工具 🎈");
    expect(safeLine(text)).toBe("one two three é 工具 🎈");
  });

  it("never contains a control character", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(safeText(text)).not.toMatch(OBEYED);
        expect(safeLine(text)).not.toMatch(/\n|\t/);
        expect(safeText(safeText(text))).toBe(safeText(text));
      }),
    );
  });

  it("means the same if it is JSON", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (json) => {
        expect(safeJson(json)).not.toMatch(OBEYED);
        expect(JSON.parse(safeJson(json))).toEqual(JSON.parse(json));
      }),
    );
  });

  it("may have carriage returns between tokens if it is JSON", () => {
    expect(JSON.parse(safeJson('{\r\n"a":\r1}'))).toEqual({ a: 1 });
  });
});
