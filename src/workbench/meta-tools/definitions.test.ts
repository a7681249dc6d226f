import { describe, expect, it } from "vitest";

import { parseConfig } from "../../config/load.ts";
import type { ToolboxSettings } from "../../config/types.ts";
import { workbenchInfo } from "../workbench-info.ts";
import {
  CLOSE_TOOLBOX,
  listedText,
  openNativeToolboxTool,
  openToolboxTool,
  proxyTools,
} from "./definitions.ts";

const server = { command: "x" };
const off = { description: "d", mcpServers: { a: { ...server, disabled: true } } };

async function boxesOf(toolboxes: object): Promise<readonly ToolboxSettings[]> {
  const { toolboxes: boxes } = await parseConfig(JSON.stringify({ toolboxes }), { env: {} });
  return [...boxes.values()];
}

describe("a toolbox whose servers are all disabled", () => {
  it.each([openToolboxTool, openNativeToolboxTool])("is not offered by %o", async (define) => {
    const boxes = await boxesOf({ dev: { description: "d", mcpServers: { a: server } }, off });
    const { description, inputSchema } = define(boxes);
    expect(description).toMatch(/Toolboxes:\n- dev: a — d$/);
    expect(inputSchema).toMatchObject({ properties: { toolbox: { enum: ["dev"] } } });
    const { instructions } = workbenchInfo("proxy", boxes, "legacy", undefined);
    expect(instructions).toMatch(/\nToolboxes: dev$/);
  });

  it("is offered if there is no other", async () => {
    const { inputSchema } = openToolboxTool(await boxesOf({ off }));
    expect(inputSchema).toMatchObject({ properties: { toolbox: { enum: ["off"] } } });
  });
});

describe("the listed meta-tools", () => {
  const LARGE = { "anthropic/maxResultSizeChars": 500_000 };
  const LOADED = { "anthropic/alwaysLoad": true };

  it("carry the hints that clients understand, and nothing else differs", async () => {
    const boxes = await boxesOf({
      dev: { description: "d", mcpServers: { a: server } },
      mail: off,
    });
    const tools = [...proxyTools(boxes, true, true), CLOSE_TOOLBOX];
    const listed = tools.map(
      (tool) => JSON.parse(listedText(tool, boxes)) as { name: string; _meta?: object },
    );
    expect(listed.map(({ _meta: _hints, ...tool }) => tool)).toEqual(
      JSON.parse(JSON.stringify(tools)),
    );
    expect(Object.fromEntries(listed.map(({ name, _meta: hints }) => [name, hints]))).toEqual({
      search_tools: LOADED,
      open_toolbox: { ...LARGE, "anthropic/searchHint": "dev" },
      use_tool: { ...LOADED, ...LARGE },
      read_tool: { ...LOADED, ...LARGE },
      run_script: LOADED,
      close_toolbox: undefined,
    });
  });

  it("name only whole toolboxes in the search hint, as many as there is space for", async () => {
    const names = ["a".repeat(50), "b".repeat(45), "postgres", "c"];
    const entries = names.map((name) => [name, { description: "d", mcpServers: { a: server } }]);
    const boxes = await boxesOf(Object.fromEntries(entries) as Parameters<typeof boxesOf>[0]);
    const { _meta: hints } = JSON.parse(listedText(openToolboxTool(boxes), boxes)) as {
      _meta: Record<string, unknown>;
    };
    expect(hints["anthropic/searchHint"]).toBe(`${names[0]} ${names[1]} c`);
  });
});
