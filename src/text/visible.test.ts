import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";
import { describe, expect, it } from "vitest";

import { lettersOutsideAscii, visible } from "./visible.ts";

describe("visible", () => {
  it.each([
    ["an escape sequence", "\u001b[2Khidden", String.raw`\u{1b}[2Khidden`],
    ["a line break", "a\nb\r\nc", String.raw`a\u{a}b\u{d}\u{a}c`],
    ["a tab", "a\tb", String.raw`a\u{9}b`],
    ["the eight-bit form of an escape", "\u009b2K", String.raw`\u{9b}2K`],
    ["a change of reading direction", "a\u202eb", String.raw`a\u{202e}b`],
    ["a character without width", "a\u200bb", String.raw`a\u{200b}b`],
    ["a tag character", "a\u{e0041}", String.raw`a\u{e0041}`],
    ["a letter that is blank", "a\u3164b", String.raw`a\u{3164}b`],
    ["a symbol that is blank", "a\u2800b", String.raw`a\u{2800}b`],
    ["another space", "a\u00a0b\u3000c", String.raw`a\u{a0}b\u{3000}c`],
    ["a combining mark", "e\u0336", String.raw`e\u{336}`],
    ["half a character", "a\ud800b", String.raw`a\u{d800}b`],
    ["a private character", "\ue000", String.raw`\u{e000}`],
  ])("escapes %s", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("leaves readable text unchanged", () => {
    const text = "npx -y @scope/name 'C:\\größe' ${HOME}/src 日本 ✓ 😀";
    expect(visible(text)).toBe(text);
  });

  it("leaves nothing that a terminal obeys, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
        expect(visible(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
      }),
    );
  });
});

it("lettersOutsideAscii finds each letter once", () => {
  expect(lettersOutsideAscii("modelcontextprot\u043ec\u043el é")).toEqual(["\u043e", "é"]);
  expect(lettersOutsideAscii("plain 123 ✓")).toEqual([]);
});
