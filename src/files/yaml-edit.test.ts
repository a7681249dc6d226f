import { describe, expect, it } from "vitest";
import * as fc from "fast-check";

import { SyntaxProblem } from "./editor.ts";
import { yaml } from "./yaml-edit.ts";

const PATH = ["extensions", "workbench"];
const ENTRY = { type: "stdio", cmd: "npx", args: ["-y", "a: b"], enabled: true };
const LINES = [
  "  workbench:",
  "    type: stdio",
  "    cmd: npx",
  "    args:",
  "      - -y",
  '      - "a: b"',
  "    enabled: true",
  "",
].join("\n");
const CONFIG = `# goose
GOOSE_PROVIDER:   'anthropic'   # quoted on purpose
extensions:
  developer: {bundled: true, enabled: true}
  notes:
    args:
    - one
    - two # two
    description: |
      a long

      text

  # not used: memory
GOOSE_MODEL: x
`;

describe("yaml.set", () => {
  it("adds lines after the last entry and changes nothing else", () => {
    expect(yaml.set(CONFIG, PATH, ENTRY)).toBe(
      CONFIG.replace("      text\n", `      text\n${LINES}`),
    );
  });

  it.each([
    ["no content", "", "extensions:\n"],
    ["only a comment", "# c\n", "# c\nextensions:\n"],
    ["no extensions", "a: 1\n", "a: 1\nextensions:\n"],
    ["empty extensions", "extensions: # none yet\na: 1\n", "extensions: # none yet\n"],
    ["empty braces", "extensions: {} # none yet\na: 1\n", "extensions: # none yet\n"],
  ])("adds an entry to a file with %s", (_what, before, start) => {
    const after = yaml.set(before, PATH, ENTRY);
    expect(after.startsWith(start + LINES)).toBe(true);
    expect(yaml.parse(after)).toMatchObject({ extensions: { workbench: ENTRY } });
  });

  it("replaces an entry", () => {
    const once = yaml.set(CONFIG, PATH, ENTRY);
    const twice = yaml.set(once, PATH, { cmd: "other" });
    expect(yaml.parse(twice)).toMatchObject({ extensions: { workbench: { cmd: "other" } } });
    expect(yaml.remove(twice, PATH)).toBe(CONFIG);
  });

  it.each([
    ["braces", "extensions: {a: {cmd: x}}\n"],
    ["a list", "extensions:\n  - type: stdio\n"],
    ["a document in braces", "{extensions: {}}\n"],
  ])("rejects a file with %s", (_what, text) => {
    expect(() => yaml.set(text, PATH, ENTRY)).toThrow(SyntaxProblem);
  });
});

describe("yaml.remove", () => {
  it("leaves empty braces in place of the last entry", () => {
    expect(yaml.remove("extensions: # c\n  a:\n    cmd: x\nb: 1\n", ["extensions", "a"])).toBe(
      "extensions: {} # c\nb: 1\n",
    );
  });

  it("ignores a missing entry, and rejects an entry it cannot cut out", () => {
    expect(yaml.remove(CONFIG, PATH)).toBe(CONFIG);
    expect(() => yaml.remove("extensions: {a: {cmd: x}}\n", ["extensions", "a"])).toThrow(
      "does not use block style",
    );
  });
});

it("yaml.parse reports the position of a syntax error", () => {
  expect(() => yaml.parse("a: 1\nb: [1\nc: 2\n")).toThrow(expect.objectContaining({ at: "3:1" }));
});

describe("yaml, in any layout,", () => {
  const entry = fc.constantFrom(
    "one:\n  cmd: x # c\n",
    "two: {enabled: false}\n",
    "three:\n  args:\n  - a\n  - >-\n    folded\n    text\n",
    "four:\n",
    "five: 'it''s'\n\n",
    "six:\n  a:\n    b: |+\n      kept\n\n",
    "seven: plain\n  continued\n",
  );
  const scene = fc
    .tuple(
      fc.uniqueArray(entry, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "# end\n", "z: 1\n", "\nz: [1,\n 2]\n"),
      fc.constantFrom(2, 4),
    )
    .map(([entries, eol, foot, indent]) => {
      const inner = entries.join("").replaceAll(/^(?=.)/gm, " ".repeat(indent));
      return `# top\nextensions:\n${inner}${foot}`.replaceAll("\n", eol);
    });

  it("removes exactly what it added", () => {
    fc.assert(
      fc.property(scene, fc.boolean(), (ended, open) => {
        const text = open ? ended.trimEnd() : ended;
        const after = yaml.set(text, PATH, ENTRY);
        expect(yaml.parse(after)).toMatchObject({ extensions: { workbench: ENTRY } });
        expect(yaml.remove(after, PATH)).toBe(text);
      }),
    );
  });
});
