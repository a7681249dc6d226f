import { describe, expect, it } from "vitest";

import { parseConfig } from "../../config/load.ts";
import type { ToolboxSettings } from "../../config/types.ts";
import { workbenchInfo } from "../workbench-info.ts";
import { openNativeToolboxTool, openToolboxTool } from "./definitions.ts";

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
