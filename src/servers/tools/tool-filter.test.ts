import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { toolFilter } from "./tool-filter.ts";

/** The same by a regular expression, which may take forever where this must not. */
const reference = (pattern: string): RegExp =>
  new RegExp(
    `^${Array.from(pattern, (character) => {
      if (character === "*") return ".*";
      return character === "?" ? "." : character.replace(/[\\^$.+()[\]{}|]/, "\\$&");
    }).join("")}$`,
    "s",
  );

const character = fc.constantFrom("a", "b", "_", ".", "\\", "[", "\n");
const names = fc.string({ unit: character, maxLength: 12 });
const patterns = fc.string({
  unit: fc.oneof(character, fc.constantFrom("*", "?")),
  minLength: 1,
  maxLength: 8,
});

describe("toolFilter", () => {
  it("matches a glob like the equivalent regular expression", () => {
    let matched = 0;
    fc.assert(
      fc.property(patterns, names, (pattern, name) => {
        const expected = reference(pattern).test(name);
        if (expected) matched++;
        expect(toolFilter([pattern])(name)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
    // With 20 seeds: 340 on average, with a standard deviation of 17.
    expect(matched).toBeGreaterThan(100);
  });

  it("shows a tool that some pattern includes and no pattern excludes", () => {
    const lists = fc.array(fc.tuple(fc.boolean(), patterns), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lists, names, (list, name) => {
        const matching = (excludes: boolean): boolean =>
          list.some(([not, pattern]) => not === excludes && reference(pattern).test(name));
        const onlyExclusions = list.every(([not]) => not);
        expect(
          toolFilter(list.map(([not, pattern]) => (not ? `!${pattern}` : pattern)))(name),
        ).toBe((onlyExclusions || matching(false)) && !matching(true));
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string[], string, boolean]>([
    [["*"], "anything", true],
    [["*"], "", true],
    [[], "anything", false],
    [["read_*", "!read_secret"], "read_file", true],
    [["read_*", "!read_secret"], "read_secret", false],
    [["!write_*"], "read_file", true],
    [["!write_*"], "write_file", false],
    [["echo"], "Echo", false],
    [["a?c"], "abc", true],
    [["a?c"], "ac", false],
    [["a.c"], "abc", false],
  ])("with %j shows %j: %s", (list, name, visible) => {
    expect(toolFilter(list)(name)).toBe(visible);
  });

  it("terminates on patterns that are built to backtrack", () => {
    expect(toolFilter([`${"*a".repeat(50)}b`])("a".repeat(2000))).toBe(false);
  });
});
