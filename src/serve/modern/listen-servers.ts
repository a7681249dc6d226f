import type { Call } from "../../calls/call.ts";
import { cancel } from "../../calls/settle.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { ask } from "../../servers/requests/ask.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { detachClient } from "../../servers/connection/detach-client.ts";
import { listenForUpdates } from "../../servers/handshake/list-changes.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { Server } from "../../servers/server.ts";
import { type IncomingNotification, type JsonObject, isObject } from "../../wire/messages.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-factory.ts";
import { LIST_FILTERS, type ListenSource, type ListenTarget } from "./listen-source.ts";
import type { ServedClient } from "../served-client.ts";
import { type ResourceAddress, findResource, nameWithin } from "../surface/resource-uris.ts";
import { NotificationThrottle } from "../notification-throttle.ts";
import { MAX_SUBSCRIPTIONS, hasRoomFor } from "../subscription-limit.ts";
import { proxyToolTexts } from "../surface/proxy-tools.ts";
import { ToolListNotifier, sameTexts } from "../surface/tool-list-notifier.ts";

const TOOLS_CHANGED = "notifications/tools/list_changed";
const UPDATED = "notifications/resources/updated";

/** Listens to all servers of a view, of either era, for the notifications a client asked for. */
export class ListenServers implements ListenSource, ServerClient {
  readonly logLevel = undefined;
  readonly #workbench: Workbench;
  readonly #view: ClientView;
  readonly #requester: ServedClient;
  readonly #wanted: JsonObject;
  readonly #target: ListenTarget;
  readonly #news: NotificationThrottle;
  readonly #attached = new Map<Connection, Server>();
  /** The tools of each server when they were last checked. */
  readonly #met = new WeakMap<Server, readonly string[]>();
  readonly #shown = new ToolListNotifier(() => this.#changed(TOOLS_CHANGED));
  readonly #standing: Call[] = [];
  /** The client's own URIs of the resources it subscribes to. */
  readonly #resources = new Map<Server, Map<string, string>>();
  #honoured: JsonObject = {};

  constructor(
    workbench: Workbench,
    view: ClientView,
    requester: ServedClient,
    wanted: JsonObject,
    target: ListenTarget,
  ) {
    this.#workbench = workbench;
    this.#view = view;
    this.#requester = requester;
    this.#wanted = wanted;
    this.#target = target;
    this.#news = new NotificationThrottle(({ method, params }) => target.tell(method, params));
  }

  async start(): Promise<JsonObject> {
    this.#shown.onSent(this.#configured());
    const { scope, server: only } = this.#view;
    const offered = only && (await this.#requester.connect(only)).hello.capabilities;
    const all = only ? [only] : Array.from(scope.values(), ({ servers }) => [...servers.values()]);
    for (const server of all.flat())
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
    const before = this.#met.get(server);
    if (!this.#watch(server, connection)) return;
    for (const uri of this.#resources.get(server)?.keys() ?? [])
      void this.#attach(server, connection, uri);
    if (before === undefined) return;
    if (!sameTexts(before, connection.catalogue.texts)) this.#toolsDiffer();
    for (const method of Object.keys(LIST_FILTERS))
      if (method !== TOOLS_CHANGED) this.#changed(method);
  }

  onSurfaceChanged(): void {
    for (const [connection, server] of this.#attached)
      if (!connection.closed) this.#met.set(server, connection.catalogue.texts);
    this.#shown.update(this.#configured());
  }

  close(): void {
    this.#news.close();
    for (const connection of this.#attached.keys()) detachClient(connection, this);
    for (const call of this.#standing) cancel(call, "unsubscribed");
  }

  onToolsChanged(server: Server, { catalogue }: Connection): void {
    this.#met.set(server, catalogue.texts);
    this.#toolsDiffer();
  }

  onNotification(server: Server, _connection: Connection, news: IncomingNotification): void {
    if (news.method === UPDATED) this.#updated(server, news.params);
    else this.#changed(news.method);
  }

  onServerRequest(question: ServerRequest): void {
    question.refuseMethod();
  }

  /** Starts to listen to a connection; false if it does not concern the client. */
  #watch(server: Server, connection: Connection): boolean {
    const { scope, server: only } = this.#view;
    const inScope = scope.get(server.settings.toolbox)?.servers.get(server.name) === server;
    if (!(only === undefined ? inScope : only === server) || this.#attached.has(connection))
      return false;
    this.#met.set(server, connection.catalogue.texts);
    this.#attached.set(connection, server);
    connection.clients.add(this);
    connection.keepAliveFor.add(this);
    return true;
  }

  /** Subscribes to the client's resources; returns those that exist. */
  async #subscribe(offered: JsonObject | undefined): Promise<string[] | undefined> {
    const wanted = this.#wanted["resourceSubscriptions"];
    if (!Array.isArray(wanted)) return undefined;
    if (offered !== undefined && !has(offered, "resources", "subscribe")) return undefined;
    const honoured: string[] = [];
    for (const name of wanted.slice(0, MAX_SUBSCRIPTIONS)) {
      if (typeof name !== "string" || !hasRoomFor(name, honoured)) continue;
      const address = await this.#find(name);
      if ("code" in address) continue;
      const { server, uri } = address;
      const connection = await this.#requester.connect(server).catch(() => undefined);
      if (connection === undefined) continue;
      const names = this.#resources.get(server) ?? new Map<string, string>();
      this.#resources.set(server, names.set(uri, name));
      this.#watch(server, connection);
      await this.#attach(server, connection, uri);
      honoured.push(name);
    }
    return honoured;
  }

  #find(name: string): ReturnType<typeof findResource> | ResourceAddress {
    const { server } = this.#view;
    return server === undefined
      ? findResource(this.#requester, name, this.#workbench.lists)
      : { server, uri: name };
  }

  async #attach(server: Server, connection: Connection, uri: string): Promise<void> {
    if (connection.era === "modern") {
      const heard = ({ params }: IncomingNotification): void => this.#updated(server, params);
      this.#standing.push(listenForUpdates(connection, uri, heard));
      return;
    }
    connection.subscribers.add(uri, this);
    await ask(connection, "resources/subscribe", { uri }).catch(() => {});
  }

  #updated(server: Server, params: JsonObject): void {
    for (const [whole, name] of this.#resources.get(server) ?? []) {
      const uri = nameWithin(String(params["uri"]), whole, name);
      if (uri !== undefined) this.#target.tell(UPDATED, { ...params, uri });
    }
  }

  /** What the configuration says about the client's tool list. */
  #configured(): string[] {
    const { scope, server: only } = this.#view;
    if (only === undefined && this.#workbench.settings.toolMode === "proxy")
      return proxyToolTexts(scope);
    const servers = only ? [only] : [...scope.values()].flatMap((box) => [...box.servers.values()]);
    return servers
      .filter(({ state }) => state !== "disabled" && state !== "closing")
      .map(({ settings: { toolbox, name, toolFilters, overrides } }) =>
        JSON.stringify([toolbox, name, toolFilters, overrides]),
      );
  }

  /** The meta-tools do not depend on what the servers offer. */
  #toolsDiffer(): void {
    if (this.#view.server !== undefined || this.#workbench.settings.toolMode === "dynamic")
      this.#changed(TOOLS_CHANGED);
  }

  #changed(method: string): void {
    const filter = LIST_FILTERS[method]?.filter;
    if (filter !== undefined && this.#honoured[filter] === true)
      this.#news.send({ method, params: {} });
  }
}

function has(capabilities: JsonObject, capability: string, feature: string): boolean {
  const offered = capabilities[capability];
  return isObject(offered) && offered[feature] === true;
}
