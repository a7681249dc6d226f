import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { occursIn } from "./find-text.ts";

const KEYS = ['"taskId"', '"isError"', "Id", "needle", "needleX", "\\u00"];
/** Long enough for the search in two steps. */
const FILLER = "a text with quotes \" and 'Id' inside, ".repeat(40);

describe("text in JSON", () => {
  it.each(KEYS)("%s is found wherever it is, in text and in bytes", (key) => {
    for (const json of [key, key + FILLER, FILLER + key, FILLER + key + FILLER]) {
      expect(occursIn(json, key)).toBe(true);
      expect(occursIn(Buffer.from(json), key)).toBe(true);
    }
  });

  it.each(['"taskId"', "needle", "needleX"])("%s is not found if only a part occurs", (key) => {
    const json = FILLER + key.slice(1) + FILLER + key.slice(0, -1) + FILLER;
    expect(occursIn(json, key)).toBe(false);
    expect(occursIn(Buffer.from(json), key)).toBe(false);
  });

  it("is found exactly if a plain search finds it", () => {
    const part = fc.constantFrom("I", "Id", "d", '"', "task", "x");
    const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
    const json = fc
      .array(part, { maxLength: 30 })
      .map((parts) => "-".repeat(2000) + parts.join(""));
    fc.assert(
      fc.property(json, key, (text, searched) => {
        expect(occursIn(text, searched)).toBe(text.includes(searched));
      }),
    );
  });
});
