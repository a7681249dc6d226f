import type { ListedTool } from "../servers/catalogue.ts";
import type { Opened, Toolbox } from "../toolboxes/toolbox.ts";
import { withMembers } from "../wire/members.ts";
import { type WorkbenchError, workbenchError } from "../errors.ts";

/** The error if not one server of the toolbox could be reached. */
export function unreachable(
  toolbox: Toolbox,
  { connected, failed }: Opened,
): WorkbenchError | undefined {
  if (connected.length > 0 || failed.length === 0) return undefined;
  const reason = failed.map((failure) => `${failure.server}: ${failure.reason}`).join("; ");
  return workbenchError("TOOLBOX_UNREACHABLE", { toolbox: toolbox.name, reason });
}

/**
 * The answer of `open_toolbox`: compact JSON, each tool exactly as its server wrote it with
 * `toolbox` and `server` added.
 */
export function openToolboxText(toolbox: Toolbox, { connected, failed }: Opened): string {
  const tools: string[] = [];
  const instructions: Record<string, string> = {};
  for (const { server, connection } of connected) {
    const origin = `,"toolbox":${JSON.stringify(toolbox.name)},"server":${JSON.stringify(server.name)}}`;
    for (const tool of connection.catalogue.tools.values()) tools.push(withOrigin(tool, origin));
    const text = connection.greeting.instructions;
    if (text !== undefined && text !== "") instructions[server.name] = text;
  }
  const head = JSON.stringify({
    toolbox: toolbox.name,
    description: toolbox.settings.description,
    servers_connected: connected.length,
  });
  const rest = JSON.stringify({
    ...(failed.length > 0 && { servers_failed: failed }),
    ...(Object.keys(instructions).length > 0 && { instructions }),
  });
  const tail = rest === "{}" ? "}" : `,${rest.slice(1)}`;
  return `${head.slice(0, -1)},"tools":[${tools.join(",")}]${tail}`;
}

function withOrigin(tool: ListedTool, origin: string): string {
  const own = "toolbox" in tool.value || "server" in tool.value;
  const text = own ? withMembers(tool.text, { toolbox: undefined, server: undefined }) : tool.text;
  return `${text.trimEnd().slice(0, -1)}${origin}`;
}
