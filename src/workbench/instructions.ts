import type { ToolMode, ToolboxSettings } from "../config/types.ts";
import { brief } from "../text/brief.ts";

const PURPOSE_CHARS = 48;

/** What the client is told once, at the start. Depends on the configuration alone. */
export function instructionsFor(mode: ToolMode, toolboxes: readonly ToolboxSettings[]): string {
  const boxes = toolboxes.map((box) => {
    const count = box.servers.size;
    return `- ${box.name} (${count} ${count === 1 ? "server" : "servers"}): ${brief(box.description, PURPOSE_CHARS)}`;
  });
  return [
    "This server gives access to the tools of many MCP servers, grouped in toolboxes:",
    ...boxes,
    ...(mode === "proxy" ? proxyUse(toolboxes) : nativeUse()),
  ].join("\n");
}

function proxyUse(toolboxes: readonly ToolboxSettings[]): string[] {
  const [box] = toolboxes;
  const [server] = box?.servers.keys() ?? [];
  const tool = { toolbox: box?.name ?? "dev", server: server ?? "filesystem", name: "read_file" };
  return [
    "Open the toolbox that fits the task with open_toolbox, then call its tools with use_tool, for example:",
    JSON.stringify({ tool, arguments: { path: "notes.txt" } }),
  ];
}

function nativeUse(): string[] {
  return [
    "Open the toolbox that fits the task with open_toolbox; its tools then appear in the tool list as {toolbox}__{server}__{tool}. Close it with close_toolbox when it is no longer needed.",
  ];
}
