import { describe, expect, it } from "vitest";

import { workbenchInfo } from "./workbench-info.ts";

describe("the instructions in toolMode dynamic", () => {
  const box = { name: "dev", description: "Tools", keywords: [], servers: new Map() };

  it("name only meta-tools that clients of the era have", () => {
    const { instructions: legacy } = workbenchInfo("dynamic", [box], "legacy", undefined);
    expect(legacy).toContain("open_toolbox");
    const { instructions: modern } = workbenchInfo("dynamic", [box], "modern", undefined);
    expect(modern).not.toMatch(/open_toolbox|close_toolbox|use_tool/);
    expect(modern).toContain("{toolbox}__{server}__{tool}");
    expect(modern).toMatch(/\nToolboxes: dev$/);
  });
});
