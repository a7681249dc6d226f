import { expect, it } from "vitest";
import * as fc from "fast-check";

import { fingerprint, spliceBetween, undoSplice } from "./splice.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", "\r\n", "\uFEFF", "😀"), maxLength: 30 });

it("undoSplice restores the older text from the newer one", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(undoSplice(after, spliceBetween(before, after))).toBe(before);
    }),
  );
});

it("spliceBetween keeps only the difference", () => {
  expect(spliceBetween("head tail", "head new tail")).toEqual({
    at: 5,
    removed: "",
    inserted: "new ",
  });
});

it("fingerprint differs between texts", () => {
  expect(fingerprint("a")).not.toBe(fingerprint("a\n"));
});
