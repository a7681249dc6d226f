import { describe, expect, it } from "vitest";

import { CLIENT_RESULT_LIMITS, resultLimitOf } from "./result-limits.ts";
import { CLIENTS } from "./table.ts";

describe("the limits of clients", () => {
  it("are about clients of the table, with a source and a date", () => {
    const known = new Set(CLIENTS.map(({ id }) => id));
    for (const { client, source, date, chars, bytes } of CLIENT_RESULT_LIMITS) {
      expect(known).toContain(client);
      expect(source).not.toBe("");
      expect(date).toMatch(/^2026-\d\d-\d\d$/);
      expect(chars ?? bytes).toBeGreaterThanOrEqual(10_000);
    }
  });

  it.each([
    ["codex-mcp-client", "codex"],
    ["github-copilot-developer", "copilot-cli"],
    ["claude-code", "claude-code"],
    ["gemini-cli-mcp-client", "gemini-cli"],
    ["gemini-cli-mcp-client-workbench", "gemini-cli"],
    ["qwen-cli-mcp-client-workbench", "qwen-code"],
    ["opencode", "opencode"],
    ["opencode-2", undefined],
    ["Claude Code", undefined],
    ["", undefined],
    [7, undefined],
    [undefined, undefined],
  ])("are found by the name of the client: %j is %s", (name, client) => {
    expect(resultLimitOf(name)?.client).toBe(client);
  });
});
