import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { SyntaxProblem } from "./editor.ts";
import { namedList } from "./yaml-list.ts";

const list = namedList("mcpServers");
const PATH = ["mcpServers", "workbench"];
const ENTRY = { name: "workbench", command: "npx", args: ["-y", "a: b"] };
const LINES = [
  "  - name: workbench",
  "    command: npx",
  "    args:",
  "      - -y",
  '      - "a: b"',
  "",
].join("\n");
const CONFIG = `name: mine # quoted
mcpServers:
  # first
  - name: wiki
    url: https://wiki.example.com/mcp
  - uses: example/block
  - { name: other, command: x } # flow
prompts: []
`;

describe("a YAML list of named entries", () => {
  it("is read as an object by name; entries without a name are not shown", () => {
    expect(list.parse(CONFIG)).toEqual({
      name: "mine",
      mcpServers: {
        wiki: { name: "wiki", url: "https://wiki.example.com/mcp" },
        other: { name: "other", command: "x" },
      },
      prompts: [],
    });
    expect(list.parse("mcpServers:\n- name: a\n- name: a\n")).toEqual({
      mcpServers: { a: { name: "a" }, "a (2)": { name: "a" } },
    });
  });

  it("gets a new entry after the last one, and nothing else changes", () => {
    expect(list.set(CONFIG, PATH, ENTRY)).toBe(CONFIG.replace("# flow\n", `# flow\n${LINES}`));
  });

  it.each([
    ["no content", "", "mcpServers:\n"],
    ["no list", "name: a\n", "name: a\nmcpServers:\n"],
    ["an empty key", "mcpServers: # none yet\na: 1\n", "mcpServers: # none yet\n"],
    ["empty brackets", "mcpServers: [] # none yet\na: 1\n", "mcpServers: # none yet\n"],
  ])("is created in a file with %s", (_what, before, start) => {
    const after = list.set(before, PATH, ENTRY);
    expect(after.startsWith(start + LINES)).toBe(true);
  });

  it("replaces an entry, also in the middle", () => {
    const after = list.set(CONFIG, ["mcpServers", "wiki"], { name: "wiki", command: "y" });
    expect(list.parse(after)).toMatchObject({
      mcpServers: { other: { command: "x" }, wiki: { name: "wiki", command: "y" } },
    });
    expect(list.remove(after, ["mcpServers", "wiki"])).toBe(
      list.remove(CONFIG, ["mcpServers", "wiki"]),
    );
  });

  it("leaves empty brackets in place of its only entry, and ignores a missing one", () => {
    expect(list.remove("mcpServers: # c\n- name: a\n  x: 1\nb: 1\n", ["mcpServers", "a"])).toBe(
      "mcpServers: [] # c\nb: 1\n",
    );
    expect(list.remove(CONFIG, PATH)).toBe(CONFIG);
  });

  it.each([
    ["brackets", "mcpServers: [{ name: a }]\n"],
    ["a mapping", "mcpServers:\n  a:\n    command: x\n"],
  ])("is not edited if it is written with %s", (_what, text) => {
    expect(() => list.set(text, PATH, ENTRY)).toThrow(SyntaxProblem);
  });

  it("shows an entry to paste", () => {
    expect(list.snippet(PATH, { name: "workbench", command: "x" })).toBe(
      "mcpServers:\n  - name: workbench\n    command: x",
    );
  });

  const entry = fc.constantFrom(
    "- name: one\n  cmd: x # c\n",
    "- {name: two, enabled: false}\n",
    "-   name: three\n    args:\n    - a\n    - >-\n      folded\n      text\n",
    "- uses: some/block\n",
    "-\n  name: five\n  text: 'it''s'\n\n",
    "- name: six\n  a:\n    b: |+\n      kept\n\n",
  );
  const scene = fc
    .tuple(
      fc.uniqueArray(entry, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "# end\n", "z: 1\n", "\nz: [1,\n 2]\n"),
      fc.constantFrom(0, 2, 4),
    )
    .map(([entries, eol, foot, indent]) => {
      const inner = entries.join("").replaceAll(/^(?=.)/gm, " ".repeat(indent));
      return `# top\nmcpServers:\n${inner}${foot}`.replaceAll("\n", eol);
    });

  it("in any layout, loses exactly the entry that it got", () => {
    fc.assert(
      fc.property(scene, fc.boolean(), (ended, open) => {
        const text = open ? ended.trimEnd() : ended;
        const after = list.set(text, PATH, ENTRY);
        expect(list.parse(after)).toMatchObject({ mcpServers: { workbench: ENTRY } });
        expect(list.remove(after, PATH)).toBe(text);
      }),
    );
  });
});
