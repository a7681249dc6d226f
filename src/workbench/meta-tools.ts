import type { ToolboxSettings } from "../config/types.ts";
import { brief } from "../text/brief.ts";

/**
 * The tools the workbench itself offers. Their texts are read by agents at the start of every
 * conversation, so each word is paid for; they depend on the configuration alone.
 */

export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: object;
}

const PURPOSE_CHARS = 60;

export function openToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  const purposes = toolboxes.map(
    (box) => `\n- ${box.name}: ${brief(box.description, PURPOSE_CHARS)}`,
  );
  return {
    name: "open_toolbox",
    description: `Open a toolbox to see its tools with their input schemas, then call them with use_tool. Toolboxes:${purposes.join("")}`,
    inputSchema: toolboxInput(toolboxes),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

export function openNativeToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  const purposes = toolboxes.map(
    (box) => `\n- ${box.name}: ${brief(box.description, PURPOSE_CHARS)}`,
  );
  return {
    name: "open_toolbox",
    description: `Open a toolbox: its tools are added to your tool list as {toolbox}__{server}__{tool}. Toolboxes:${purposes.join("")}`,
    inputSchema: toolboxInput(toolboxes),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

export function closeToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  return {
    name: "close_toolbox",
    description: "Close a toolbox: its tools leave your tool list and its connections end.",
    inputSchema: toolboxInput(toolboxes),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

export const USE_TOOL: MetaTool = {
  name: "use_tool",
  description:
    "Call a tool of any toolbox. `tool` names it by toolbox, server and name, as open_toolbox lists them; `arguments` follow that tool's inputSchema. The toolbox need not be open.",
  inputSchema: {
    type: "object",
    properties: {
      tool: {
        type: "object",
        properties: {
          toolbox: { type: "string", minLength: 1 },
          server: { type: "string", minLength: 1 },
          name: { type: "string", minLength: 1 },
        },
        required: ["toolbox", "server", "name"],
        additionalProperties: false,
      },
      arguments: { type: "object" },
    },
    required: ["tool"],
    additionalProperties: false,
  },
};

function toolboxInput(toolboxes: readonly ToolboxSettings[]): object {
  return {
    type: "object",
    properties: { toolbox: { type: "string", enum: toolboxes.map((box) => box.name) } },
    required: ["toolbox"],
    additionalProperties: false,
  };
}
