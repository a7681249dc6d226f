import { isWorkbenchError, workbenchError } from "../errors.ts";
import type { ListedTool } from "../servers/catalogue.ts";
import type { Connection } from "../servers/connection.ts";
import type { Server } from "../servers/server.ts";
import type { ToolIdentifier } from "../toolboxes/identifier.ts";
import { formatToolName, parseToolName } from "../toolboxes/native-names.ts";
import type { Toolbox } from "../toolboxes/toolbox.ts";
import { withMembers } from "../wire/members.ts";
import { type IncomingRequest, isObject } from "../wire/messages.ts";
import { acceptToolbox, refuseInput, withoutAlias } from "../workbench/input.ts";
import { closeToolboxTool, openNativeToolboxTool } from "../workbench/meta-tools.ts";
import { unreachable } from "../workbench/open-toolbox.ts";
import { findToolbox } from "../workbench/workbench.ts";
import type { Session } from "./session.ts";
import { type ToolSurface, callTool } from "./tool-surface.ts";

interface NativeTool {
  readonly server: Server;
  readonly id: ToolIdentifier;
  readonly text: string;
}

/** toolMode "dynamic": the tools of opened toolboxes are listed under names of their own. */
export class NativeTools implements ToolSurface {
  readonly #session: Session;
  /** The registered tools of each server of each opened toolbox. */
  readonly #opened = new Map<Toolbox, Map<Server, Map<string, NativeTool>>>();
  /** All of them by name, for calls. */
  #byName = new Map<string, NativeTool>();

  constructor(session: Session) {
    this.#session = session;
  }

  list(): string {
    const boxes = Array.from(this.#session.scope.values(), (toolbox) => toolbox.settings);
    const own = [openNativeToolboxTool(boxes), closeToolboxTool(boxes)];
    const native = Array.from(this.#byName.values(), (tool) => tool.text);
    return [...own.map((tool) => JSON.stringify(tool)), ...native].join(",");
  }

  call(request: IncomingRequest): void {
    const { name, arguments: input } = request.params;
    const tool = typeof name === "string" ? this.#byName.get(name) : undefined;
    if (tool !== undefined) callTool(this.#session, request, tool.server, tool.id, "params.arguments");
    else if (name === "open_toolbox") void this.#change(request, name, input);
    else if (name === "close_toolbox") void this.#change(request, name, input);
    else this.#unknown(request, name);
  }

  toolsChanged(server: Server, connection: Connection): void {
    for (const [toolbox, servers] of this.#opened) {
      if (!servers.has(server)) continue;
      servers.set(server, registered(toolbox, server, connection));
      this.#publish();
    }
  }

  async #change(
    request: IncomingRequest,
    method: "open_toolbox" | "close_toolbox",
    given: unknown,
  ): Promise<void> {
    const input = withoutAlias(given);
    const name = acceptToolbox(input);
    const toolbox =
      name === undefined ? await refuseInput(method, input) : findToolbox(this.#session.scope, name);
    if (isWorkbenchError(toolbox)) this.#session.toolError(request.idText, toolbox);
    else if (method === "open_toolbox") await this.#open(request, toolbox);
    else await this.#close(request, toolbox);
  }

  async #open(request: IncomingRequest, toolbox: Toolbox): Promise<void> {
    const opened = await toolbox.open(this.#session.profile);
    const problem = unreachable(toolbox, opened);
    if (problem !== undefined) {
      this.#session.toolError(request.idText, problem);
      return;
    }
    const servers = this.#opened.get(toolbox) ?? new Map<Server, Map<string, NativeTool>>();
    for (const { server, connection } of opened.connected)
      servers.set(server, registered(toolbox, server, connection));
    this.#opened.set(toolbox, servers);
    this.#publish();
    this.#answer(request, {
      toolbox: toolbox.name,
      description: toolbox.settings.description,
      servers_connected: opened.connected.length,
      tools_registered: sum(Array.from(servers.values(), (tools) => tools.size)),
      ...(opened.failed.length > 0 && { servers_failed: opened.failed }),
    });
  }

  async #close(request: IncomingRequest, toolbox: Toolbox): Promise<void> {
    const servers = this.#opened.get(toolbox);
    this.#opened.delete(toolbox);
    this.#publish();
    await this.#session.workbench.release(toolbox);
    const removed = sum(Array.from(servers?.values() ?? [], (tools) => tools.size));
    this.#answer(request, { toolbox: toolbox.name, tools_removed: removed });
  }

  /** Makes the registered tools callable, and says so if they are others than before. */
  #publish(): void {
    const next = new Map<string, NativeTool>();
    for (const servers of this.#opened.values())
      for (const tools of servers.values()) for (const [name, tool] of tools) next.set(name, tool);
    const before = Array.from(this.#byName.values(), (tool) => tool.text).join();
    const after = Array.from(next.values(), (tool) => tool.text).join();
    this.#byName = next;
    if (before !== after) this.#session.notify("notifications/tools/list_changed");
  }

  #answer(request: IncomingRequest, answer: object): void {
    this.#session.reply(request, { content: [{ type: "text", text: JSON.stringify(answer) }] });
  }

  #unknown(request: IncomingRequest, name: unknown): void {
    const tool = typeof name === "string" ? parseToolName(name) : null;
    const hint =
      tool !== null && this.#session.scope.has(tool.toolbox)
        ? `Open toolbox '${tool.toolbox}' with open_toolbox first`
        : "Open a toolbox with open_toolbox to add its tools";
    this.#session.fail(request, workbenchError("UNKNOWN_TOOL", { name: String(name) }, hint));
  }
}

function registered(toolbox: Toolbox, server: Server, connection: Connection): Map<string, NativeTool> {
  const tools = new Map<string, NativeTool>();
  for (const tool of connection.catalogue.tools.values()) {
    const id = { toolbox: toolbox.name, server: server.name, name: tool.name };
    const name = formatToolName(id);
    tools.set(name, { server, id, text: nativeText(name, id, tool) });
  }
  return tools;
}

/** The server's definition with our name, a prefix that shows its origin, and the same in `_meta`. */
function nativeText(name: string, id: ToolIdentifier, tool: ListedTool): string {
  const { description, _meta: meta } = tool.value;
  const prefix = `[${id.toolbox}/${id.server}] `;
  return withMembers(tool.text, {
    name: JSON.stringify(name),
    description: JSON.stringify(`${prefix}${typeof description === "string" ? description : ""}`.trimEnd()),
    _meta: JSON.stringify({ ...(isObject(meta) ? meta : {}), "mcp-workbench/tool": id }),
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
