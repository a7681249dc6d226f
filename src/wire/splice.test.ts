import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cutAt, cuts } from "../../test/support/json-arbitraries.ts";
import { type Edit, editParts, editText } from "./splice.ts";

/** A text of one byte a character, and places in it that are replaced. */
const edited = fc
  .tuple(
    fc.string({ unit: "grapheme-ascii", maxLength: 60 }),
    fc.array(fc.tuple(fc.nat(60), fc.string({ maxLength: 5 })), { maxLength: 6 }),
  )
  .map(([text, given]) => {
    const places = given.map(([at]) => Math.min(at, text.length)).sort((a, b) => a - b);
    const edits: Edit[] = [];
    for (let i = 0; i + 1 < places.length; i += 2)
      edits.push({
        start: places[i] as number,
        end: places[i + 1] as number,
        text: given[i]?.[1] ?? "",
      });
    return { text, edits };
  });

/** The same from back to front, so that no offset has to be moved. */
const expected = (text: string, edits: readonly Edit[]): string =>
  edits.reduceRight(
    (result, edit) => result.slice(0, edit.start) + edit.text + result.slice(edit.end),
    text,
  );

describe("editText and editParts", () => {
  it("replace the given ranges and nothing else, however the text is split", () => {
    fc.assert(
      fc.property(edited, cuts, ({ text, edits }, places) => {
        expect(editText(text, edits)).toBe(expected(text, edits));
        const parts = editParts(cutAt(Buffer.from(text), places), edits);
        expect(Buffer.concat(parts.map((part) => Buffer.from(part))).toString()).toBe(
          expected(text, edits),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("copy no bytes", () => {
    const bytes = [Buffer.from("abc"), Buffer.from("defg"), Buffer.from("hi")];
    const parts = editParts(bytes, [{ start: 4, end: 5, text: "!" }]);
    expect(parts.map(String)).toEqual(["abc", "d", "!", "fg", "hi"]);
    const memory = (part: string | Buffer | undefined): unknown =>
      typeof part === "string" ? part : part?.buffer;
    expect(memory(parts[1])).toBe(memory(bytes[1]));
    expect(memory(parts[3])).toBe(memory(bytes[1]));
    expect(parts[0]).toBe(bytes[0]);
  });
});
