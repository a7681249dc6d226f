import { describe, expect, it } from "vitest";

import { resolveConfig } from "../load.ts";

describe("the setting scripts.enabled", () => {
  it.each([
    [false, [true, false]],
    [true, [false, false]],
  ])("as %j disables saved scripts, not other servers", async (enabled, expected) => {
    const mcpServers = { saved: { scripts: "./s" }, other: { command: "x" } };
    const toolboxes = { dev: { description: "d", mcpServers } };
    const settings = await resolveConfig({ toolboxes, scripts: { enabled } }, { env: {} });
    const servers = settings.toolboxes.get("dev")?.servers;
    expect(["saved", "other"].map((name) => servers?.get(name)?.disabled)).toEqual(expected);
  });
});
