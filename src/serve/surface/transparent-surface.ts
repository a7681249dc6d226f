import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, failure, result } from "../../calls/outcome.ts";
import { ServerRpcError } from "../../servers/requests/ask.ts";
import type { Server } from "../../servers/server.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { IncomingRequest, JsonObject, RpcError } from "../../wire/messages.ts";
import { resemblesStandardMethod } from "../../wire/method-names.ts";
import type { ServedCall, ServedClient } from "../served-client.ts";
import { refuseCursor, routePinned } from "./approved-items.ts";
import { rememberedList, shownHello } from "./remembered-server.ts";
import { type ResourceAddress, addressOn } from "./resource-uris.ts";
import { type SeeTools, hiddenServer, isPinned, mayUseAll, seenBy } from "./seen-tools.ts";
import { allTexts, shownTexts, viewedServer, viewedTool } from "../apps/server-view.ts";
import { ToolListNotifier } from "./tool-list-notifier.ts";
import { type Surface, methodNotFound, nameRequired } from "./surface.ts";

/** The states of a server that the configuration has disabled or removed. */
const UNUSABLE: ReadonlySet<Server["state"]> = new Set(["disabled", "closing"]);

const TOOL_METHODS: ReadonlySet<string> = new Set(["tools/call", "tools/list"]);

function isToolMethod(method: string): boolean {
  return TOOL_METHODS.has(method);
}

/** The client that sees the server. */
export interface TransparentClient {
  /** The connection it uses. */
  connectionTo(server: Server): Connection | undefined;
  /** Notifies it that its tool list changed. */
  notifyToolsChanged(): void;
  /** The tools that it may see. */
  readonly seen: SeeTools;
}

/** For clients that are notified of changes by their listener. */
export const LISTENING_CLIENT: TransparentClient = {
  connectionTo: () => undefined,
  notifyToolsChanged: () => {},
  seen: (_server, catalogue) => catalogue,
};

/**
 * One server as if the client were connected to it directly: its own names, URIs, instructions and
 * methods, except for what the configuration changes in its tools.
 */
export class TransparentSurface implements Surface {
  readonly isTransparent = true;
  readonly #view: { readonly server: Server };
  readonly #client: TransparentClient;
  readonly #notifier: ToolListNotifier;

  constructor(view: { readonly server: Server }, client: TransparentClient) {
    this.#view = view;
    this.#client = client;
    this.#notifier = new ToolListNotifier(() => client.notifyToolsChanged());
  }

  get #server(): Server {
    return this.#view.server;
  }

  hello(client: ServedClient): Promise<JsonObject> {
    return shownHello(client, this.#server);
  }

  async findResource(client: ServedClient, uri: string): Promise<ResourceAddress | RpcError> {
    return addressOn(client, this.#server, uri);
  }

  /** A tool must not be called in a way that bypasses its configuration. */
  forwards(method: string): boolean {
    return !resemblesStandardMethod(method) && !isToolMethod(method);
  }

  route(client: ServedClient, { request }: ServedCall): Destination | Promise<Destination> {
    const { method } = request;
    const server = this.#server;
    const hidden = hiddenServer(client, server);
    if (hidden !== undefined) return answered(failure(hidden));
    if (!isToolMethod(method) && !this.forwards(method)) return answered(methodNotFound(method));
    if (client.principal.kind === "replica") return placedServer(client, server, request);
    const remembered = rememberedList(client, server, method, (texts) =>
      this.#notifier.onSent(texts),
    );
    if (remembered !== undefined) return remembered;
    const pinned = isPinned(server) ? routePinned(client, server, request) : undefined;
    if (pinned !== undefined) return pinned;
    const isUnchanged = showsToolsUnchanged(server) && mayUseAll(client, server);
    if (method === "tools/list" && !isUnchanged)
      return { answer: () => this.#listCatalogue(client, request) };
    if (method === "tools/call" && !isUnchanged) {
      const name = request.plain?.name ?? request.params["name"];
      if (typeof name !== "string") return answered(nameRequired());
      const tool = { ...server.place, name };
      return viewedTool(client, { server, tool, argumentsAt: "params.arguments" });
    }
    return viewedServer(client, server, request);
  }

  /** The first tools of the server are not a change: the client has yet to ask for them. */
  onToolsChanged(server: Server, { catalogue }: Connection): void {
    const texts = this.#textsIn(server, catalogue);
    this.#notifier.snapshot(() => texts);
    this.#notifier.update(texts);
  }

  onSurfaceChanging(): void {
    // The list the client has is known from the connection it came from.
  }

  onSurfaceChanged(): void {
    void this.#known().then((texts) => texts && this.#notifier.update(texts));
  }

  /** The server's description, if known; undefined while the server may not be used. */
  async #known(): Promise<readonly string[] | undefined> {
    const server = this.#server;
    if (UNUSABLE.has(server.state)) return [];
    const known = this.#client.connectionTo(server) ?? (await server.host.memory.load(server));
    return known && this.#textsIn(server, known.catalogue);
  }

  /** All tools that the client may see, also those for pages. */
  #textsIn(server: Server, catalogue: Connection["catalogue"]): string[] {
    return allTexts(catalogue, (tools) => this.#client.seen(server, tools));
  }

  async #listCatalogue(client: ServedClient, request: IncomingRequest): Promise<Outcome> {
    refuseCursor(request);
    const connection = await client.connect(this.#server);
    try {
      if (connection.toolsProblem !== undefined) await this.#server.whenListed(connection);
    } catch (error) {
      // The error of the server is passed on as it is.
      const { toolsProblem } = connection;
      if (toolsProblem instanceof ServerRpcError)
        return { kind: "refusal", error: toolsProblem.rpc };
      throw error;
    }
    const { catalogue } = connection;
    const texts = allTexts(catalogue, (tools) => seenBy(client, this.#server, tools));
    this.#notifier.onSent(texts);
    return result(`{"tools":[${(await shownTexts(client, catalogue, texts)).join(",")}]}`);
  }
}

/** What the configuration changes is changed by the replica that asks, and a call is passed on only once. */
function placedServer(client: ServedClient, server: Server, request: IncomingRequest): Destination {
  if (server.isHere) return viewedServer(client, server, request);
  return answered(failure(server.failures.error("it runs on another replica now")));
}

/** True if clients see the server's tools exactly as it lists them. */
function showsToolsUnchanged(server: Server): boolean {
  const { toolFilters, overrides, transport } = server.settings;
  // The definitions of saved scripts have a part that is not for clients.
  if (isPinned(server) || transport.kind === "scripts") return false;
  const all = toolFilters.length > 0 && toolFilters.every((pattern) => pattern === "*");
  return all && Object.keys(overrides).length === 0;
}
