import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, failure, result, textResult } from "../../calls/outcome.ts";
import { isWorkbenchError, workbenchError } from "../../errors.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";
import type { Toolbox } from "../../toolboxes/toolbox.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { findToolbox } from "../../workbench/find.ts";
import {
  parseCloseToolbox,
  parseOpenToolbox,
  refuseInput,
  withoutAlias,
} from "../../workbench/meta-tools/input.ts";
import {
  CLOSE_TOOLBOX,
  openNativeToolboxTool,
  searchToolsTool,
} from "../../workbench/meta-tools/definitions.ts";
import { instructionsOf, unreachable } from "../../workbench/meta-tools/open-toolbox.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { type NativeTool, nativeToolsOf } from "./native-definitions.ts";
import type { ServedClient } from "../served-client.ts";
import { searchTools } from "./search.ts";
import { ToolListNotifier } from "./tool-list-notifier.ts";
import type { ToolSurface } from "./tool-surface.ts";

const NO_TOOLS: ReadonlyMap<string, NativeTool> = new Map();

type ServerTools = Map<Server, ReadonlyMap<string, NativeTool>>;

/** The session that lists these tools. */
export interface NativeSession {
  readonly scope: Scope;
  connect(server: Server): Promise<Connection>;
  /** Releases the servers of a toolbox. */
  release(toolbox: Toolbox): Promise<void>;
  /** Notifies the client that its tool list changed. */
  notifyToolsChanged(): void;
}

/** toolMode "dynamic": the tools of opened toolboxes are listed under native names. */
export class NativeTools implements ToolSurface {
  readonly mode = "dynamic";
  readonly #workbench: Workbench;
  readonly #session: NativeSession;
  readonly #opened = new Map<Toolbox, ServerTools>();
  readonly #notifier: ToolListNotifier;
  /** The tools of all opened toolboxes by name, for calls. */
  #byName = new Map<string, NativeTool>();

  constructor(workbench: Workbench, session: NativeSession) {
    this.#workbench = workbench;
    this.#session = session;
    this.#notifier = new ToolListNotifier(() => session.notifyToolsChanged());
  }

  list(): Destination {
    return {
      answer: () => {
        const texts = this.#texts();
        this.#notifier.onSent(texts);
        return result(`{"tools":[${texts.join(",")}]}`);
      },
    };
  }

  call(requester: ServedClient, request: IncomingRequest): Destination {
    const name = request.plain?.name ?? (request.params["name"] as string);
    const native = this.#byName.get(name);
    if (native !== undefined)
      return { server: native.server, tool: native.id, argumentsAt: "params.arguments" };
    const { arguments: input } = request.params;
    if (name === "search_tools") return searchTools(this.#workbench, requester, input);
    if (name === "open_toolbox" || name === "close_toolbox")
      return { answer: () => this.#change(requester, name, withoutAlias(input)) };
    return answered(unknownTool(requester.scope, name));
  }

  onToolsChanged(server: Server, connection: Connection): void {
    void this.#relist(server, connection);
  }

  async #relist(server: Server, connection: Connection): Promise<void> {
    const { catalogue } = connection;
    const tools = await nativeToolsOf(server, connection);
    // The list may have changed again in the meantime; that change is published separately.
    if (connection.catalogue !== catalogue) return;
    for (const servers of this.#opened.values())
      if (servers.has(server)) servers.set(server, tools);
    this.#publish();
  }

  onSurfaceChanging(): void {
    this.#notifier.snapshot(() => this.#texts());
  }

  /** Opened toolboxes stay open, with their current servers. */
  onSurfaceChanged(): void {
    void this.#reopen().then(() => this.#publish());
  }

  async #reopen(): Promise<void> {
    for (const toolbox of Array.from(this.#opened.keys())) {
      if (this.#session.scope.get(toolbox.name) !== toolbox) {
        this.#opened.delete(toolbox);
        continue;
      }
      // Registered tools stay until their replacements are known. Otherwise a publish in the
      // meantime would remove them all for a moment.
      const { connected } = await toolbox.open((server) => this.#session.connect(server));
      const before = this.#opened.get(toolbox);
      if (before === undefined) continue;
      const servers: ServerTools = new Map();
      for (const server of toolbox.servers.values()) {
        // A server that cannot be reached now keeps its tools; a disabled one has none.
        if (server.settings.disabled) continue;
        const connection = connected.find((entry) => entry.server === server)?.connection;
        const tools = connection ? await nativeToolsOf(server, connection) : before.get(server);
        if (tools !== undefined) servers.set(server, tools);
      }
      this.#opened.set(toolbox, servers);
    }
  }

  async #change(
    requester: ServedClient,
    name: "open_toolbox" | "close_toolbox",
    input: unknown,
  ): Promise<Outcome> {
    const accept = name === "open_toolbox" ? parseOpenToolbox : parseCloseToolbox;
    const toolboxName = accept(input)?.toolbox;
    if (toolboxName === undefined) return failure(await refuseInput(name, input));
    const toolbox = findToolbox(requester.scope, toolboxName);
    if (isWorkbenchError(toolbox)) return failure(toolbox);
    return name === "open_toolbox" ? this.#open(requester, toolbox) : this.#close(toolbox);
  }

  async #open(requester: ServedClient, toolbox: Toolbox): Promise<Outcome> {
    const opened = await toolbox.open((server) => requester.connect(server));
    const problem = unreachable(toolbox, opened);
    if (problem !== undefined) return failure(problem);
    const servers: ServerTools = this.#opened.get(toolbox) ?? new Map();
    // First, so that changes in the meantime are not missed.
    this.#opened.set(toolbox, servers);
    for (const { server } of opened.connected)
      if (!servers.has(server)) servers.set(server, NO_TOOLS);
    for (const { server, connection } of opened.connected)
      servers.set(server, await nativeToolsOf(server, connection));
    this.#publish();
    return jsonResult({
      toolbox: toolbox.name,
      description: toolbox.settings.description,
      servers_connected: opened.connected.length,
      tools_registered: count(servers),
      ...(opened.failed.length > 0 && { servers_failed: opened.failed }),
      instructions: instructionsOf(opened.connected),
    });
  }

  async #close(toolbox: Toolbox): Promise<Outcome> {
    const servers = this.#opened.get(toolbox);
    this.#opened.delete(toolbox);
    this.#publish();
    await this.#session.release(toolbox);
    return jsonResult({
      toolbox: toolbox.name,
      tools_removed: servers ? count(servers) : 0,
    });
  }

  /** Makes the registered tools callable, and notifies the client if they changed. */
  #publish(): void {
    this.#notifier.snapshot(() => this.#texts());
    this.#byName = this.#registered();
    this.#notifier.update(this.#texts());
  }

  #texts(): string[] {
    const boxes = Array.from(this.#session.scope.values(), (toolbox) => toolbox.settings);
    const meta = [searchToolsTool("dynamic"), openNativeToolboxTool(boxes), CLOSE_TOOLBOX];
    const native = Array.from(this.#byName.values(), (tool) => tool.text);
    return [...meta.map((tool) => JSON.stringify(tool)), ...native];
  }

  #registered(): Map<string, NativeTool> {
    const all = new Map<string, NativeTool>();
    for (const servers of this.#opened.values())
      for (const tools of servers.values()) for (const [name, tool] of tools) all.set(name, tool);
    return all;
  }
}

function unknownTool(scope: Scope, name: string): Outcome {
  const tool = parseToolName(name);
  const hint =
    tool !== null && scope.has(tool.toolbox)
      ? `Open toolbox '${tool.toolbox}' with open_toolbox first`
      : "Find tools with search_tools; open_toolbox adds those of a toolbox";
  const { rpcError } = workbenchError("UNKNOWN_TOOL", { name }, hint);
  return { kind: "refusal", error: rpcError };
}

function jsonResult(value: object): Outcome {
  return textResult(JSON.stringify(value));
}

function count(servers: ServerTools): number {
  let total = 0;
  for (const tools of servers.values()) total += tools.size;
  return total;
}
