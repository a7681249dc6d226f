import { describe, expect, it } from "vitest";
import * as fc from "fast-check";

import { SyntaxProblem } from "./editor.ts";
import { scanTables } from "./toml-tables.ts";
import { toml } from "./toml-edit.ts";

const PATH = ["mcp_servers", "workbench"];
const ENTRY = { command: "npx", args: ["-y", "mcp-workbench"] };
const CONFIG = `# my settings
model = "o9" # the good one
prompt = """
[not.a.table]
"""
list = [
  "[mcp_servers.fake]", # not a table either
]

[mcp_servers.github] # work
command = "docker"
args = ["run", "ghcr.io/github/github-mcp-server"]

[mcp_servers.github.env]
TOKEN = 'x # y'

# profiles below
[profiles.fast]
model = "o9-mini"
since = 2026-01-02T03:04:05Z
`;

describe("toml.set", () => {
  it("adds a table at the end and leaves the rest unchanged", () => {
    expect(toml.set(CONFIG, PATH, ENTRY)).toBe(
      `${CONFIG}\n[mcp_servers.workbench]\ncommand = "npx"\nargs = [ "-y", "mcp-workbench" ]\n`,
    );
  });

  it("replaces a table in place", () => {
    const after = toml.set(CONFIG, ["mcp_servers", "github"], { command: "gh" });
    expect(after).toContain('[mcp_servers.github]\ncommand = "gh"\n\n# profiles below\n');
    expect(after).not.toContain("TOKEN");
  });

  it("rejects a file in which the table would not be valid", () => {
    expect(() => toml.set('mcp_servers = { a = { command = "x" } }\n', PATH, ENTRY)).toThrow(
      SyntaxProblem,
    );
  });
});

describe("toml.remove", () => {
  it("removes a table with its subtables, and keeps the comment of the next one", () => {
    const after = toml.remove(CONFIG, ["mcp_servers", "github"]);
    expect(after).toBe(CONFIG.replace(/\[mcp_servers\.github\] # work[^]*'x # y'\n\n/, ""));
  });

  it("finds quoted and spaced headers", () => {
    const text = '[ mcp_servers . "we.ird" ]\ncommand = "x"\n\n[a]\n';
    expect(toml.remove(text, ["mcp_servers", "we.ird"])).toBe("\n[a]\n");
  });

  it("rejects dotted keys and inline tables, and ignores a missing table", () => {
    expect(() => toml.remove('mcp_servers.a.command = "x"\n', ["mcp_servers", "a"])).toThrow(
      "only be edited by hand",
    );
    expect(toml.remove(CONFIG, PATH)).toBe(CONFIG);
  });
});

it("toml.parse reports the position of a syntax error", () => {
  expect(() => toml.parse("a = 1\nb = \n")).toThrow(
    expect.objectContaining({ message: "not valid TOML (invalid value)", at: "2:5" }),
  );
});

it("scanTables finds the beginning and end of tables", () => {
  const ranges = scanTables(CONFIG).map(({ path, start, end }) => [path, CONFIG.slice(start, end)]);
  expect(ranges[1]).toEqual([
    ["mcp_servers", "github", "env"],
    "[mcp_servers.github.env]\nTOKEN = 'x # y'\n",
  ]);
  expect(ranges.map(([path]) => path)).toHaveLength(3);
});

describe("toml, in any layout,", () => {
  const part = fc.constantFrom(
    "# comment\n",
    "\n",
    "[a]\n",
    "[[list]]\nx = 1\n",
    '[mcp_servers.one]\ncommand = "x"\n',
    "[mcp_servers.one.env]\nA = '''\n[b]\n'''\n",
    '[b."c d"]\nk = [ # c\n  1,\n  { z = "]" },\n]\n',
    '[d] # "\ns = """ \\""" [x]\n"""\n',
  );
  const scene = fc
    .tuple(fc.uniqueArray(part, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
    .map(([parts, eol, bom]) => (bom ? "\uFEFF" : "") + parts.join("").replaceAll("\n", eol));

  it("removes exactly what it added", () => {
    fc.assert(
      fc.property(scene, (text) => {
        const after = toml.set(text, PATH, ENTRY);
        expect(after.startsWith(text)).toBe(true);
        expect(toml.remove(after, PATH)).toBe(text);
      }),
    );
  });
});
