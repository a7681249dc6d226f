import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { stem } from "./stem.ts";

describe("stem", () => {
  it.each([
    "connect connected connecting connection connections",
    "file files filing",
    "query queries",
    "create created creating creates",
    "summarize summarizing summarized",
    "organization organizations organize",
    "plan planned planning plans",
    "hopeful hopefulness",
    "agree agreed",
    "analysis analysi",
    "roll rolls rolling",
    "utility utilities",
    "deploy deployed deployment",
    "electrical electricity",
    "formalize formal",
    "relational relate",
    "adjustable adjust",
    "adoption adopt",
    "controlling control",
  ])("gives the words %j the same stem", (words) => {
    const stems = new Set(words.split(" ").map(stem));
    expect([...stems]).toHaveLength(1);
  });

  it.each([
    ["is", "is"],
    ["red", "red"],
    ["sing", "sing"],
    ["class", "class"],
    ["sky", "sky"],
    ["yes", "ye"],
    ["happy", "happi"],
    ["rate", "rate"],
    ["cease", "ceas"],
    ["größen", "größen"],
    ["s3", "s3"],
  ])("turns %j into %j", (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it("never makes a word longer or empty", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (word) => {
        const result = stem(word);
        expect(result.length).toBeGreaterThan(0);
        expect(result.length).toBeLessThanOrEqual(word.length);
      }),
    );
  });
});
