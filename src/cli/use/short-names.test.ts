import { describe, expect, it } from "vitest";

import { onlyTool, severalOf, toolsNamed } from "./short-names.ts";

const SERVERS = [
  { toolbox: "dev", server: "files", tools: ["read", "a/b", "list"] },
  { toolbox: "dev", server: "notes", tools: ["list"] },
  { toolbox: "prod", server: "files", tools: ["read_all"] },
];

describe("the short name of a tool", () => {
  it.each(["read", "files/read", "dev/read", "dev/files/read"])("%s means one tool", (name) => {
    expect(onlyTool(name, SERVERS)).toEqual({ toolbox: "dev", server: "files", name: "read" });
  });

  it("may contain slashes", () => {
    expect(onlyTool("a/b", SERVERS)).toMatchObject({ server: "files", name: "a/b" });
    expect(toolsNamed("b", SERVERS)).toEqual([]);
  });

  it("is refused if it means several", () => {
    expect(() => onlyTool("list", SERVERS)).toThrow("There are 2 tools called 'list'");
    expect(onlyTool("notes/list", SERVERS)).toMatchObject({ server: "notes" });
    const many = Array.from({ length: 30 }, (_, i) => `t/s/${i}`);
    expect(severalOf("tools", "x", many).hint).toMatch(/t\/s\/19 and 10 more$/);
  });

  it("is refused with the nearest one, or a way to find one", () => {
    const hintFor = (name: string): unknown => {
      try {
        return onlyTool(name, SERVERS);
      } catch (error) {
        return (error as { hint?: string }).hint;
      }
    };
    expect(hintFor("raed")).toBe("Did you mean 'dev/files/read'?");
    expect(hintFor("something-else")).toContain("mcp-workbench search");
  });
});
