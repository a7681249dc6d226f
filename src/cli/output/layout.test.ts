import { describe, expect, it } from "vitest";

import { columns, wrapCommand, wrapLine, wrapLines } from "./layout.ts";
import { styleFor } from "./style.ts";
import { fitWidth, widthOf } from "./text-width.ts";

describe("wrapping a line", () => {
  it("breaks between words and keeps the indentation", () => {
    expect(wrapLine("    one two three four", 14)).toBe("    one two\n    three four");
    expect(wrapLine("one two", 7)).toBe("one two");
  });

  it("aligns continued lines with the text after a sign", () => {
    expect(wrapLine("  ✗ dev/files: it exited with code 1", 20)).toBe(
      "  ✗ dev/files: it\n    exited with code\n    1",
    );
    expect(wrapLine("! be careful with this", 12)).toBe("! be careful\n  with this");
    const { green } = styleFor(true);
    expect(wrapLine(`${green("✓")} one two three`, 9)).toBe(`${green("✓")} one two\n  three`);
  });

  it("leaves a long word whole, and next to its sign", () => {
    expect(wrapLine("  ✓ /a/very/long/path: fine", 12)).toBe("  ✓ /a/very/long/path:\n    fine");
  });

  it("keeps columns as far as they fit, and the space at the end of a question", () => {
    expect(wrapLine("name    value    more", 16)).toBe("name    value\nmore");
    expect(wrapLine("Write this to the file? [Y/n] ", 20)).toBe("Write this to the\nfile? [Y/n] ");
  });

  it("counts wide characters as two columns, and colours as none", () => {
    expect(widthOf("日本語")).toBe(6);
    expect(widthOf(styleFor(true).red("abc"))).toBe(3);
    expect(widthOf("e\u0301")).toBe(1);
    expect(wrapLines("日本 日本 日本\nshort", 9)).toBe("日本 日本\n日本\nshort");
    expect(fitWidth("日本語です", 7)).toBe("日本語…");
    expect(fitWidth("short", 7)).toBe("short");
  });

  it("continues a command with a backslash", () => {
    expect(wrapCommand("mcp-workbench call echo -- npx -y server", 30)).toBe(
      "  mcp-workbench call echo -- \\\n    npx -y server",
    );
    expect(wrapCommand("mcp-workbench list", 30)).toBe("  mcp-workbench list");
  });
});

describe("a table that is too wide", () => {
  const rows = [
    ["files", "node", "Reads and writes files of the project"],
    ["a-long-name", "node", ""],
  ];

  it("wraps its last column", () => {
    expect(columns(rows, "  ", 50)).toBe(
      [
        "  files        node  Reads and writes files of the",
        "                     project",
        "  a-long-name  node",
      ].join("\n"),
    );
  });

  it("becomes a list of blocks if little room is left for it", () => {
    expect(columns(rows, "  ", 32)).toBe(
      [
        "  files",
        "    node",
        "    Reads and writes files of",
        "    the project",
        "  a-long-name",
        "    node",
      ].join("\n"),
    );
  });

  it("stays as it is without a limit", () => {
    expect(columns(rows)).toContain("files        node  Reads and writes files of the project\n");
  });
});
