import type { ServerRequest } from "../../calls/server-request.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { Server } from "../../servers/server.ts";
import { type IncomingNotification, type JsonObject, isObject } from "../../wire/messages.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { type ClientView, serversOf } from "../client-view.ts";
import { LIST_FILTERS, type ListenSource, type ListenTarget } from "./listen-source.ts";
import { MAX_SUBSCRIPTIONS, ResourceSubscriptions } from "../resource-subscriptions.ts";
import type { ServedClient } from "../served-client.ts";
import { mayReceive } from "../passed-messages.ts";
import { addressOn, findResource } from "../surface/resource-uris.ts";
import { NotificationThrottle } from "../notification-throttle.ts";
import { listsPages, proxyTextsWithPages, proxyToolTexts } from "../surface/proxy-lists.ts";
import { ToolListNotifier, sameTexts } from "../surface/tool-list-notifier.ts";

const TOOLS_CHANGED = "notifications/tools/list_changed";
const UPDATED = "notifications/resources/updated";

/** Listens to all servers of a view, of either era, for the notifications a client asked for. */
export class ListenServers implements ListenSource, ServerClient {
  readonly logLevel = undefined;
  readonly #workbench: Workbench;
  readonly #view: ClientView;
  readonly #client: ServedClient;
  readonly #wanted: JsonObject;
  readonly #news: NotificationThrottle;
  readonly #resources: ResourceSubscriptions;
  readonly #attached = new Map<Connection, Server>();
  /** The tools of each server when they were last checked. */
  readonly #lastTools = new WeakMap<Server, readonly string[]>();
  readonly #shown = new ToolListNotifier(() => this.#changed(TOOLS_CHANGED));
  #honoured: JsonObject = {};
  #isClosed = false;

  constructor(
    workbench: Workbench,
    view: ClientView,
    client: ServedClient,
    wanted: JsonObject,
    target: ListenTarget,
  ) {
    this.#workbench = workbench;
    this.#view = view;
    this.#client = client;
    this.#wanted = wanted;
    this.#news = new NotificationThrottle(({ method, params }) => target.notify(method, params));
    this.#resources = new ResourceSubscriptions(this, (params, server) => {
      if (mayReceive(client, server, UPDATED)) target.notify(UPDATED, params);
    });
  }

  async start(): Promise<JsonObject> {
    this.#shown.onSent(this.#hasPages ? await this.#withPages() : this.#configured());
    const { server: only } = this.#view;
    const offered = only && (await this.#client.connect(only)).hello.capabilities;
    for (const server of serversOf(this.#view))
      for (const connection of server.connections.values()) this.#watch(server, connection);
    const uris = await this.#subscribe(offered);
    const lists = Object.values(LIST_FILTERS).filter(
      ({ filter, capability }) =>
        this.#wanted[filter] === true &&
        (offered === undefined || has(offered, capability, "listChanged")),
    );
    this.#honoured = {
      ...Object.fromEntries(lists.map(({ filter }) => [filter, true])),
      ...(uris !== undefined && { resourceSubscriptions: uris }),
    };
    return this.#honoured;
  }

  onConnected(server: Server, connection: Connection): void {
    const before = this.#lastTools.get(server);
    if (!this.#watch(server, connection)) return;
    this.#resources.renew(server, connection);
    if (before === undefined) return;
    if (!sameTexts(before, connection.catalogue.texts)) this.#toolsDiffer();
    for (const method of Object.keys(LIST_FILTERS))
      if (method !== TOOLS_CHANGED) this.#changed(method);
  }

  onSurfaceChanged(): void {
    for (const [connection, server] of this.#attached)
      if (!connection.closed) this.#lastTools.set(server, connection.catalogue.texts);
    if (this.#hasPages) this.onLearned();
    else this.#shown.update(this.#configured());
  }

  /** In toolMode "proxy", the list of a client that supports pages depends on what is known. */
  onLearned(): void {
    if (this.#hasPages) void this.#withPages().then((texts) => this.#shown.update(texts));
  }

  close(): void {
    this.#isClosed = true;
    this.#news.close();
    this.#resources.close();
    for (const connection of this.#attached.keys()) connection.clients.detach(this);
  }

  onToolsChanged(server: Server, { catalogue }: Connection): void {
    this.#lastTools.set(server, catalogue.texts);
    if (mayReceive(this.#client, server, TOOLS_CHANGED)) this.#toolsDiffer();
  }

  onNotification(server: Server, _connection: Connection, news: IncomingNotification): void {
    if (news.method === UPDATED) this.#resources.updated(server, news.params);
    else if (mayReceive(this.#client, server, news.method)) this.#changed(news.method);
  }

  onServerRequest(serverRequest: ServerRequest): void {
    serverRequest.refuseMethod();
  }

  /** Starts to listen to a connection; false if it does not concern the client. */
  #watch(server: Server, connection: Connection): boolean {
    // The client left while a server was being connected, so it would never be detached.
    if (this.#isClosed) return false;
    const { scope, server: only } = this.#view;
    const inScope = scope.get(server.settings.toolbox)?.servers.get(server.name) === server;
    if (!(only === undefined ? inScope : only === server) || this.#attached.has(connection))
      return false;
    this.#lastTools.set(server, connection.catalogue.texts);
    this.#attached.set(connection, server);
    connection.clients.attach(this);
    connection.clients.keepAliveFor.add(this);
    return true;
  }

  /** The resources that will be reported; undefined if the server does not offer subscriptions. */
  async #subscribe(offered: JsonObject | undefined): Promise<string[] | undefined> {
    const wanted = this.#wanted["resourceSubscriptions"];
    if (!Array.isArray(wanted)) return undefined;
    if (offered !== undefined && !has(offered, "resources", "subscribe")) return undefined;
    const honoured: string[] = [];
    for (const uri of wanted.slice(0, MAX_SUBSCRIPTIONS))
      if (typeof uri === "string" && (await this.#subscribeTo(uri))) honoured.push(uri);
    return honoured;
  }

  /** False if there is no such resource, or it cannot be subscribed to. */
  async #subscribeTo(clientUri: string): Promise<boolean> {
    const { server: only } = this.#view;
    if (!this.#resources.hasRoomFor(clientUri)) return false;
    const address =
      only === undefined
        ? await findResource(this.#client, clientUri, this.#workbench.lists)
        : addressOn(this.#client, only, clientUri);
    if ("code" in address) return false;
    const { server, uri } = address;
    const connection = await this.#client.connect(server).catch(() => undefined);
    if (connection === undefined || this.#isClosed) return false;
    this.#watch(server, connection);
    await this.#resources.subscribe(clientUri, server, uri, connection);
    return true;
  }

  /** What the configuration says about the client's tool list. */
  #configured(): string[] {
    const { scope, server: only } = this.#view;
    if (only === undefined && this.#workbench.settings.toolMode === "proxy")
      return proxyToolTexts(scope, this.#workbench.settings, this.#client.principal);
    const { policy: general, toolboxes } = this.#workbench.settings;
    return serversOf(this.#view)
      .filter(({ state }) => state !== "disabled" && state !== "closing")
      .map(({ settings: { toolbox, name, toolFilters, overrides, annotations, policy } }) => {
        const policies = [general, toolboxes.get(toolbox)?.policy, policy];
        return JSON.stringify([toolbox, name, toolFilters, overrides, annotations, policies]);
      });
  }

  get #hasPages(): boolean {
    return this.#view.server === undefined && listsPages(this.#workbench, this.#client);
  }

  #withPages(): Promise<string[]> {
    return proxyTextsWithPages(this.#workbench, this.#client);
  }

  /** The meta-tools do not depend on what the servers offer. */
  #toolsDiffer(): void {
    if (this.#view.server !== undefined || this.#workbench.settings.toolMode === "dynamic")
      this.#changed(TOOLS_CHANGED);
  }

  #changed(method: string): void {
    const filter = LIST_FILTERS[method]?.filter;
    if (filter !== undefined && this.#honoured[filter] === true)
      this.#news.send({ method, params: {} }, this);
  }
}

function has(capabilities: JsonObject, capability: string, feature: string): boolean {
  const offered = capabilities[capability];
  return isObject(offered) && offered[feature] === true;
}
