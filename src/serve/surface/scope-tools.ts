import type { Destination } from "../../calls/destination.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";
import {
  RUN_SCRIPT,
  listedText,
  offersScripts,
  searchToolsTool,
} from "../../workbench/meta-tools/definitions.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { hasUiSupport, uiCall } from "../apps/ui-client.ts";
import { listResult } from "./list-result.ts";
import { type NativeTool, nativeToolsOf } from "./native-definitions.ts";
import type { ServedCall, ServedClient } from "../served-client.ts";
import { commonTools } from "./common-tools.ts";
import { seenBy } from "./seen-tools.ts";
import type { MetaToolRoute, ToolSurface } from "./tool-surface.ts";
import { withheldHint } from "./approved-items.ts";
import { unknownTool } from "./unknown-tool.ts";
import { nativeCall } from "./native-call.ts";

/**
 * toolMode "dynamic" for modern clients, whose lists may not depend on earlier requests: all
 * toolboxes in scope count as open, and there is nothing to open or close.
 */
export class ScopeTools implements ToolSurface {
  readonly mode = "dynamic";
  readonly metaTools: ReadonlyMap<string, MetaToolRoute>;
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.metaTools = new Map(commonTools(workbench));
    this.#workbench = workbench;
  }

  /**
   * There is no `open_toolbox` whose answer would contain the instructions of the servers, so the
   * list contains them.
   */
  list(client: ServedClient): Destination {
    return {
      answer: async () => {
        const { found, missing } = await this.#workbench.lists.servers(client);
        const hasScripts = offersScripts(this.#workbench.settings.scripts, client.principal);
        const boxes = Array.from(client.scope.values(), (toolbox) => toolbox.settings);
        const own = [searchToolsTool("listed"), ...(hasScripts ? [RUN_SCRIPT] : [])];
        const texts = Array.from((await toolsOf(client, found)).values(), (tool) => tool.text);
        const instructions = found.flatMap(({ server, value: { connection, known } }) => {
          const { instructions: text } = connection?.hello ?? known ?? {};
          return text ? [[`${server.settings.toolbox}/${server.name}`, text]] : [];
        });
        const meta = { "mcp-workbench/instructions": Object.fromEntries(instructions) };
        return listResult(
          "tools",
          [...own.map((tool) => listedText(tool, boxes, hasUiSupport(client))), ...texts],
          missing,
          instructions.length > 0 ? meta : {},
        );
      },
    };
  }

  call(client: ServedClient, name: string, call: ServedCall): Destination | Promise<Destination> {
    const tool = parseToolName(name);
    const server = tool && client.scope.get(tool.toolbox)?.servers.get(tool.server);
    const connection = server && client.connectionTo(server);
    if (tool && connection) {
      const listed = seenBy(client, server, connection.catalogue).tools.get(tool.name);
      if (listed) return nativeCall(client, call, { server, id: tool, text: listed.text });
    }
    return this.#findListed(client, name, call);
  }

  onToolsChanged(): void {
    // Clients that listen for changes are notified by their listener.
  }

  onSurfaceChanging(): void {
    // The same holds here.
  }

  onSurfaceChanged(): void {
    // And here.
  }

  async #findListed(client: ServedClient, name: string, call: ServedCall): Promise<Destination> {
    const { found } = await this.#workbench.lists.servers(client);
    const tool = (await toolsOf(client, found)).get(name);
    if (tool !== undefined) return nativeCall(client, call, tool);
    const called = await uiCall(client, name);
    if (called !== undefined) return called;
    return unknownTool(name, (unlisted) => {
      const server = unlisted && client.scope.get(unlisted.toolbox)?.servers.get(unlisted.server);
      const hint = unlisted && withheldHint(client, server ?? undefined, unlisted.name);
      return hint ?? "See tools/list for the names";
    });
  }
}

type Listing = Awaited<ReturnType<Workbench["lists"]["servers"]>>;

/** The tools of servers by native name; known servers need not be asked. */
async function toolsOf(
  client: ServedClient,
  found: Listing["found"],
): Promise<Map<string, NativeTool>> {
  const tools = new Map<string, NativeTool>();
  for (const { server, value } of found) {
    const source = value.connection ?? value.known;
    if (source === undefined) continue;
    for (const [name, tool] of await nativeToolsOf(
      server,
      seenBy(client, server, source.catalogue),
      hasUiSupport(client),
    ))
      tools.set(name, tool);
  }
  return tools;
}
