import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { editDistance } from "./edit-distance.ts";

/** The definition, without regard to speed. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const costs = [
    distance(a.slice(1), b) + 1,
    distance(a, b.slice(1)) + 1,
    distance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]) {
    costs.push(distance(a.slice(2), b.slice(2)) + 1);
  }
  return Math.min(...costs);
}

describe("editDistance", () => {
  it.each([
    ["file", "file", 1, 0],
    ["file", "flie", 1, 1],
    ["file", "files", 1, 1],
    ["file", "fle", 1, 1],
    ["file", "fill", 1, 1],
    ["file", "mail", 1, undefined],
    ["", "ab", 2, 2],
  ])("of %j and %j with limit %i is %s", (a, b, limit, expected) => {
    expect(editDistance(a, b, limit)).toBe(expected);
  });

  it("agrees with the definition of the distance", () => {
    const word = fc.stringMatching(/^[abc]{0,6}$/);
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, limit) => {
        const expected = distance(a, b);
        expect(editDistance(a, b, limit)).toBe(expected <= limit ? expected : undefined);
      }),
    );
  });
});
