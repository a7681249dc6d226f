import { workbenchError } from "../../errors.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { searchToolsTool } from "../../workbench/meta-tools.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { type ReachableServer, reachableServers } from "./across.ts";
import { callTool } from "../forward.ts";
import { type NativeTool, nativeToolsOf } from "./native-definitions.ts";
import type { Requester } from "../requester.ts";
import { searchTools } from "./search.ts";
import { answerLater } from "./surface.ts";
import type { ToolSurface } from "./tool-surface.ts";

/**
 * toolMode "dynamic" for modern clients, whose lists may not depend on what was done before: all
 * toolboxes in scope count as open, and there is nothing to open or to close.
 */
export class ScopeTools implements ToolSurface {
  readonly mode = "dynamic";
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  list(requester: Requester, request: IncomingRequest): void {
    answerLater(requester, request, this.#list(requester, request));
  }

  call(requester: Requester, request: IncomingRequest): void {
    const name = request.params["name"] as string;
    if (name === "search_tools") {
      searchTools(this.#workbench, requester, request);
      return;
    }
    const id = parseToolName(name);
    const server = id && requester.scope.get(id.toolbox)?.servers.get(id.server);
    const connection = server && requester.linked(server);
    if (id && server && connection?.catalogue.tools.has(id.name))
      callTool(requester, request, server, id, "params.arguments");
    else answerLater(requester, request, this.#callListed(requester, request, name));
  }

  toolsChanged(): void {
    // Those who listen for changes are told by what they listen with.
  }

  surfaceChanging(): void {
    // The same holds here.
  }

  surfaceChanged(): void {
    // And here.
  }

  /**
   * There is no toolbox to open, whose answer would carry what the servers say about their use, so
   * the list carries it.
   */
  async #list(requester: Requester, request: IncomingRequest): Promise<void> {
    const servers = await reachableServers(requester);
    const own = JSON.stringify(searchToolsTool("listed"));
    const texts = Array.from((await toolsOf(servers)).values(), (tool) => tool.text);
    const told = servers.flatMap(({ server, connection, known }) => {
      const { instructions } = connection?.greeting ?? known ?? {};
      return instructions ? [[`${server.settings.toolbox}/${server.name}`, instructions]] : [];
    });
    const meta = JSON.stringify({ "mcp-workbench/instructions": Object.fromEntries(told) });
    const further = told.length > 0 ? `,"_meta":${meta}` : "";
    requester.replyText(request, `{"tools":[${[own, ...texts].join(",")}]${further}}`);
  }

  async #callListed(requester: Requester, request: IncomingRequest, name: string): Promise<void> {
    const tool = (await toolsOf(await reachableServers(requester))).get(name);
    if (tool !== undefined) callTool(requester, request, tool.server, tool.id, "params.arguments");
    else {
      const error = workbenchError("UNKNOWN_TOOL", { name }, "See tools/list for the names");
      requester.refuse(request, error.rpcError);
    }
  }
}

/** The tools of servers by their native names; those of a server that is known need not be asked for. */
async function toolsOf(servers: readonly ReachableServer[]): Promise<Map<string, NativeTool>> {
  const tools = new Map<string, NativeTool>();
  for (const { server, known, connection } of servers) {
    const source = connection ?? known;
    if (source === undefined) continue;
    for (const [name, tool] of await nativeToolsOf(server, source)) tools.set(name, tool);
  }
  return tools;
}
