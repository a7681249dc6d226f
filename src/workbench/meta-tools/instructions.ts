import type { ToolMode } from "../../config/types.ts";
import { type ToolboxOutline, countedToolbox } from "./toolbox-lines.ts";

/** The instructions for the client. They depend only on the configuration. */
export function workbenchInstructions(
  mode: ToolMode,
  toolboxes: readonly ToolboxOutline[],
): string {
  return [
    "This server provides the tools of many MCP servers, grouped in toolboxes:",
    ...toolboxes.map((toolbox) => `- ${countedToolbox(toolbox)}`),
    ...(mode === "proxy" ? proxyUse(toolboxes) : nativeUse()),
  ].join("\n");
}

function proxyUse(toolboxes: readonly ToolboxOutline[]): string[] {
  const [box] = toolboxes;
  const [server] = box?.servers.keys() ?? [];
  const tool = { toolbox: box?.name ?? "dev", server: server ?? "filesystem", name: "read_file" };
  return [
    "Find a single tool with search_tools; list a whole toolbox with open_toolbox. Call tools with use_tool, for example:",
    JSON.stringify({ tool, arguments: { path: "notes.txt" } }),
  ];
}

function nativeUse(): string[] {
  return [
    "Find tools with search_tools, or choose the toolbox that fits the task. open_toolbox adds its tools to the tool list as {toolbox}__{server}__{tool}; close_toolbox removes them.",
  ];
}
