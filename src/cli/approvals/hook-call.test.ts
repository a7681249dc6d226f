import { describe, expect, it } from "vitest";

import { readHookedCall } from "./hook-call.ts";

const TOOL = '"tool":{"toolbox":"dev","server":"github","name":"push"}';

function hooked(input: string, { name = "mcp__workbench__use_tool", entry = "workbench" } = {}) {
  const text = `{"hook_event_name":"PreToolUse","tool_name":"${name}","tool_input":${input},"cwd":"/"}`;
  return readHookedCall(text, entry);
}

describe("the call in the input of a hook", () => {
  it.each(["use_tool", "read_tool"])(
    "is read for %s, with the arguments as written",
    (metaTool) => {
      const call = hooked(`{${TOOL},"arguments":{"n": 1e3}}`, {
        name: `mcp__workbench__${metaTool}`,
      });
      expect(call).toMatchObject({
        metaTool,
        tool: { toolbox: "dev", server: "github", name: "push" },
        request: { method: "tools/call", text: expect.stringContaining('{"n": 1e3}') },
      });
    },
  );

  it("is found under the name of the entry as Claude Code writes it", () => {
    const name = "mcp__my_tools__use_tool";
    expect(hooked(`{${TOOL}}`, { name, entry: "my.tools" })?.tool.name).toBe("push");
    expect(hooked(`{${TOOL}}`, { name })).toBeUndefined();
  });

  it.each(["search_tools", "open_toolbox", "close_toolbox", "dev__x__use_tool", ""])(
    "is not there for the tool '%s'",
    (tool) => {
      expect(hooked(`{${TOOL}}`, { name: `mcp__workbench__${tool}` })).toBeUndefined();
    },
  );

  it.each([
    "null",
    "{}",
    '{"tool":"push"}',
    '{"tool":{"toolbox":"dev","server":"github"}}',
    `{${TOOL},"arguments":"x"}`,
    `{${TOOL},"more":1}`,
    `{${TOOL},${TOOL}}`,
    `{${TOOL},"arguments":{},"Arguments":{"branch":"main"}}`,
    `{${TOOL},"arguments":{},"arguments":{"branch":"main"}}`,
  ])("is not clear in %s", (input) => {
    expect(hooked(input)).toBeUndefined();
  });

  it("is not there in other texts", () => {
    expect(readHookedCall("", "workbench")).toBeUndefined();
    expect(readHookedCall("[]", "workbench")).toBeUndefined();
    const post = { hook_event_name: "PostToolUse", tool_name: "mcp__workbench__use_tool" };
    const tool_input = { tool: { toolbox: "dev", server: "github", name: "push" } };
    expect(readHookedCall(JSON.stringify({ ...post, tool_input }), "workbench")).toBeUndefined();
  });
});
