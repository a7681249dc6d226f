import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordDiff } from "./word-diff.ts";

const words = fc.array(fc.constantFrom("a", "b", "word", " ", "\n", ".", "ä", "😀"), {
  maxLength: 30,
});

describe("wordDiff", () => {
  it("contains both texts, and nothing is both removed and added at the same place", () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const [before, after] = [a.join(""), b.join("")];
        const parts = wordDiff(before, after);
        const without = (mark: string): string =>
          parts.flatMap((part) => (part.mark === mark ? [] : [part.text])).join("");
        expect(without("+")).toBe(before);
        expect(without("-")).toBe(after);
        expect(wordDiff(before, before).every(({ mark }) => mark === " ")).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("shows whole words", () => {
    expect(wordDiff("Reads a file.", "Reads any file.")).toEqual([
      { mark: " ", text: "Reads " },
      { mark: "-", text: "a" },
      { mark: "+", text: "any" },
      { mark: " ", text: " file." },
    ]);
  });

  it("replaces texts that are too long to compare", () => {
    const [before, after] = ["a ".repeat(3000), "b ".repeat(3000)];
    expect(wordDiff(before, after).map(({ mark }) => mark)).toEqual(["-", "+", " "]);
  });
});
