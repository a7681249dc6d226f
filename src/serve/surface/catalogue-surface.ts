import { type Destination, answered } from "../../calls/destination.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { JsonObject, RpcError } from "../../wire/messages.ts";
import { resemblesStandardMethod } from "../../wire/method-names.ts";
import { exampleIn } from "../../workbench/catalogue/example-file.ts";
import { workbenchInfo } from "../../workbench/workbench-info.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ServedCall, ServedClient } from "../served-client.ts";
import { refuseCursor } from "./approved-items.ts";
import { catalogueRoute } from "./catalogue-routes.ts";
import { type ResourceAddress, findResource } from "./resource-uris.ts";
import { type ShownCatalogue, type Surface, methodNotFound, nameRequired } from "./surface.ts";
import { routeTask } from "./tasks.ts";
import type { ToolSurface } from "./tool-surface.ts";

/** The toolboxes in scope, through meta-tools or native tools. */
export class CatalogueSurface implements Surface {
  readonly isTransparent = false;
  readonly #workbench: Workbench;
  readonly #tools: ToolSurface;

  constructor(workbench: Workbench, tools: ToolSurface) {
    this.#workbench = workbench;
    this.#tools = tools;
  }

  hello(client: ServedClient): JsonObject {
    const boxes = Array.from(client.scope.values(), (toolbox) => toolbox.settings);
    // The command line and the library do one thing and do not want servers started for others.
    if (client.principal.kind !== "local") this.#workbench.onClient(client.scope);
    // The tool of the example may be one that the client must not see.
    const isRestricted = client.pipeline.visibility !== undefined;
    const { examples } = this.#workbench.host;
    const example = isRestricted ? undefined : exampleIn(boxes, examples);
    const declared = client.profile?.client.capabilities;
    return workbenchInfo(this.#tools.mode, boxes, client.era, example, declared);
  }

  route(client: ServedClient, call: ServedCall): Destination | Promise<Destination> {
    const { request } = call;
    const { method } = request;
    if (method === "tools/call") return this.#routeTool(client, call);
    if (method.startsWith("tasks/")) return routeTask(client, request);
    if (method.endsWith("/list")) refuseCursor(request);
    if (method === "tools/list") return this.#tools.list(client);
    const route = catalogueRoute(method);
    if (route === undefined) return answered(methodNotFound(method));
    return route(client, request, this.#workbench.lists, this.#shownTo(client));
  }

  /** Without it the request would go to a server that does not check the id. */
  forwards(method: string): boolean {
    return method.startsWith("notifications/") && !resemblesStandardMethod(method);
  }

  onToolsChanged(server: Server, connection: Connection): void {
    this.#tools.onToolsChanged(server, connection);
  }

  onLearned(): void {
    this.#tools.onLearned?.();
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
  findResource(client: ServedClient, uri: string): Promise<ResourceAddress | RpcError> {
    return findResource(client, uri, this.#workbench.lists);
  }

  #routeTool(client: ServedClient, call: ServedCall): Destination | Promise<Destination> {
    const { request } = call;
    // The parameters of a plain call are parsed only if they are read.
    const name = request.plain?.name ?? request.params["name"];
    if (typeof name !== "string") return answered(nameRequired());
    const routeMetaTool = this.#tools.metaTools.get(name);
    if (routeMetaTool !== undefined) return routeMetaTool(client, request, call);
    return this.#tools.call(client, name, call);
  }

  #shownTo({ era, scope }: ServedClient): ShownCatalogue {
    const { mode } = this.#tools;
    const listScope = mode === "dynamic" && era === "legacy" ? "open" : "all";
    const learn: ShownCatalogue["learn"] = async (servers, list) =>
      (await this.#workbench.discovery(scope)).learn(servers, list);
    return { listScope, mode, settings: this.#workbench.settings, learn };
  }
}
