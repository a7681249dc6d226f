import { classOf } from "../../access/policy/tool-facts.ts";
import { type CallableTool, answered } from "../../calls/destination.ts";
import { workbenchError } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { offersReadTool } from "../../workbench/meta-tools/definitions.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ServedClient } from "../served-client.ts";
import type { FoundTool } from "./seen-tools.ts";
import type { MetaToolRoute } from "./tool-surface.ts";
import { destinationOf, routeCalls } from "./use-tool.ts";

/** `read_tool`: like `use_tool`, but refuses every tool whose class is not `read`. */
export function readTool(workbench: Workbench): MetaToolRoute {
  const route = routeCalls("read_tool", workbench.catalogues, (client, tool) => {
    const destination = destinationOf(client, tool);
    const server = client.scope.get(tool.toolbox)?.servers.get(tool.server);
    if (destination.server === undefined || server === undefined) return destination;
    return {
      ...destination,
      refusal: ({ nameJson, value }: CallableTool) =>
        classOf(JSON.parse(nameJson) as string, value, server.settings) === "read"
          ? undefined
          : workbenchError("TOOL_NOT_READ_ONLY", tool, "Call it with use_tool"),
    };
  });
  return (client, request, call) => {
    if (isOffered(client, workbench)) return route(client, request, call);
    const { rpcError } = workbenchError("UNKNOWN_TOOL", { name: "read_tool" });
    return answered({ kind: "refusal", error: rpcError });
  };
}

/** Whether a client has `read_tool` in its list. */
export function isOffered({ scope }: ServedClient, { settings }: Workbench): boolean {
  const boxes = Array.from(scope.values(), (toolbox) => toolbox.settings);
  return offersReadTool(boxes, settings.readTool);
}

/** Whether a tool only reads, in answers to clients that have `read_tool`; undefined for others. */
export function readMark(client: ServedClient, workbench: Workbench): ReadMark | undefined {
  if (!isOffered(client, workbench)) return undefined;
  return ({ settings }, { ownName, value }) => classOf(ownName, value, settings) === "read";
}

/** The same for tools that a search has found. */
export function readerHits(
  client: ServedClient,
  workbench: Workbench,
): ((hit: FoundTool) => boolean) | undefined {
  const isReader = readMark(client, workbench);
  return (
    isReader &&
    (({ toolbox, server: name, tool }) => {
      const server = client.scope.get(toolbox)?.servers.get(name);
      const known = server && workbench.catalogues.known(server)?.catalogue.tools.get(tool.name);
      return known !== undefined && isReader(server as Server, known);
    })
  );
}

type ReadMark = (server: Pick<Server, "settings">, tool: ListedTool) => boolean;
