import { type Destination, answered } from "../../calls/destination.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingRequest, JsonObject, RpcError } from "../../wire/messages.ts";
import { resemblesStandardMethod } from "../../wire/method-names.ts";
import { workbenchInfo } from "../../workbench/workbench-info.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Reach, ServerLists } from "../../workbench/server-lists.ts";
import { complete } from "./completion.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import type { ServedClient } from "../served-client.ts";
import { type ResourceAddress, findResource } from "./resource-uris.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";
import { type Surface, methodNotFound, nameProblem } from "./surface.ts";
import { routeTask } from "./tasks.ts";
import type { ToolSurface } from "./tool-surface.ts";

type Route = (
  requester: ServedClient,
  request: IncomingRequest,
  lists: ServerLists,
  reach: Reach,
) => Destination | Promise<Destination>;

const ROUTES: Readonly<Record<string, Route>> = {
  "prompts/list": listPrompts,
  "prompts/get": getPrompt,
  "resources/list": listResources,
  "resources/templates/list": listTemplates,
  "resources/read": readResource,
  "completion/complete": complete,
};

/** The toolboxes in scope, through meta-tools or native tools. */
export class CatalogueSurface implements Surface {
  readonly isTransparent = false;
  readonly #workbench: Workbench;
  readonly #tools: ToolSurface;

  constructor(workbench: Workbench, tools: ToolSurface) {
    this.#workbench = workbench;
    this.#tools = tools;
  }

  hello(requester: ServedClient): JsonObject {
    const boxes = Array.from(requester.scope.values(), (toolbox) => toolbox.settings);
    // The command line and the library run one task and need no other servers.
    if (requester.principal.kind !== "local") this.#workbench.onFirstClient();
    return workbenchInfo(this.#tools.mode, boxes, requester.era);
  }

  route(requester: ServedClient, request: IncomingRequest): Destination | Promise<Destination> {
    const { method } = request;
    if (method === "tools/call") {
      const problem = nameProblem(request);
      return problem ? answered(problem) : this.#tools.call(requester, request);
    }
    if (method === "tools/list") return this.#tools.list(requester);
    if (method.startsWith("tasks/")) return routeTask(requester, request);
    const route = Object.hasOwn(ROUTES, method) ? ROUTES[method] : undefined;
    if (route === undefined) return answered(methodNotFound(method));
    return route(requester, request, this.#workbench.lists, this.#reachOf(requester));
  }

  /** Without it the request would go to a server that does not check the id. */
  forwards(method: string): boolean {
    return method.startsWith("notifications/") && !resemblesStandardMethod(method);
  }

  onToolsChanged(server: Server, connection: Connection): void {
    this.#tools.onToolsChanged(server, connection);
  }

  onSurfaceChanging(): void {
    this.#tools.onSurfaceChanging();
  }

  onSurfaceChanged(): void {
    this.#tools.onSurfaceChanged();
  }

  /**
   * With native tools, a toolbox that a session has not opened is invisible, and so are its prompts
   * and resources.
   */
  findResource(requester: ServedClient, uri: string): Promise<ResourceAddress | RpcError> {
    return findResource(requester, uri, this.#workbench.lists);
  }

  #reachOf({ era }: ServedClient): Reach {
    return this.#tools.mode === "dynamic" && era === "legacy" ? "open" : "all";
  }
}
