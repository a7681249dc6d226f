import { describe, expect, it } from "vitest";

import { parseUseTool } from "./input.ts";
import { workbenchInstructions } from "./instructions.ts";

const boxes = [{ name: "dev" }, { name: "prod" }];
const example = {
  tool: { toolbox: "dev", server: "filesystem", name: "read_text_file" },
  arguments: { path: "…" },
};

/** The call in the instructions. */
function callIn(text: string): unknown {
  return JSON.parse(text.split("\n").find((line) => line.startsWith("{")) ?? "");
}

describe("the instructions for agents", () => {
  it.each(["proxy", "dynamic"] as const)("name every toolbox in %s mode", (mode) => {
    expect(workbenchInstructions(mode, boxes)).toMatch(/\nToolboxes: dev, prod$/);
  });

  it("contain the example call", () => {
    const call = callIn(workbenchInstructions("proxy", boxes, example));
    expect(call).toEqual(example);
    expect(parseUseTool(call)).toEqual(example.tool);
  });

  it("contain only placeholders if no tool is known", () => {
    const text = workbenchInstructions("proxy", boxes);
    expect(parseUseTool(callIn(text))).toEqual({
      toolbox: "TOOLBOX",
      server: "SERVER",
      name: "TOOL",
    });
    expect(text).not.toContain("for example");
  });

  it.each(["proxy", "dynamic"] as const)(
    "stay below 2,000 characters in %s mode, and explain the use first",
    (mode) => {
      const many = Array.from({ length: 500 }, (_, i) => ({ name: `toolbox-number-${i}` }));
      const text = workbenchInstructions(mode, many, example);
      expect(text.length).toBeLessThan(2000);
      expect(text).toMatch(/toolbox-number-0, .*toolbox-number-\d+ and 4\d\d more$/);
      expect(text.indexOf("search_tools")).toBeLessThan(100);
    },
  );

  it("are not empty without toolboxes", () => {
    expect(workbenchInstructions("proxy", [])).toContain("use_tool");
    expect(workbenchInstructions("dynamic", [])).toContain("open_toolbox");
  });
});
