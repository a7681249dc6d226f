import { describe, expect, it } from "vitest";

import { settingsWith } from "../../../test/support/fake-connection.ts";
import type { ToolboxSettings } from "../../config/types.ts";
import { workbenchInstructions } from "./instructions.ts";
import { parseUseTool } from "./input.ts";

function box(name: string, description: string, ...servers: string[]): ToolboxSettings {
  const entries = servers.map((server) => [server, settingsWith({ name: server })] as const);
  return { name, description, keywords: [], servers: new Map(entries) };
}

const boxes = [box("dev", "Files and notes", "filesystem"), box("prod", "The shop", "db", "api")];

describe("the instructions for agents", () => {
  it.each(["proxy", "dynamic"] as const)(
    "name every toolbox with its number of servers in %s mode",
    (mode) => {
      const lines = workbenchInstructions(mode, boxes).split("\n");
      expect(lines).toContain("- dev (1 server): Files and notes");
      expect(lines).toContain("- prod (2 servers): The shop");
    },
  );

  it("do not count disabled servers", () => {
    const off = settingsWith({ name: "off", disabled: true });
    const servers = new Map([...(boxes[0]?.servers ?? []), ["off", off] as const]);
    const text = workbenchInstructions("proxy", [{ ...(boxes[0] as ToolboxSettings), servers }]);
    expect(text).toContain("- dev (1 server)");
  });

  it("contain an example that use_tool accepts, with existing names", () => {
    const example = workbenchInstructions("proxy", boxes)
      .split("\n")
      .find((line) => line.startsWith("{"));
    expect(parseUseTool(JSON.parse(example ?? ""))).toMatchObject({
      toolbox: "dev",
      server: "filesystem",
    });
  });

  it("are not empty without toolboxes", () => {
    expect(workbenchInstructions("proxy", [])).toContain("use_tool");
    expect(workbenchInstructions("dynamic", [])).toContain("open_toolbox");
  });

  it("depend only on the configuration", () => {
    expect(workbenchInstructions("proxy", boxes)).toBe(
      workbenchInstructions("proxy", structuredClone(boxes)),
    );
  });
});
