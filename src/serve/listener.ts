import { SUBSCRIPTION_KEY } from "../relay/envelope.ts";
import type { Call } from "../relay/call.ts";
import type { Question } from "../relay/question.ts";
import { ask } from "../servers/ask.ts";
import type { Connection } from "../servers/connection.ts";
import { listenForUpdates } from "../servers/listening.ts";
import type { ServerClient } from "../servers/server-client.ts";
import type { Server } from "../servers/server.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  isObject,
  notificationText,
  resultText,
} from "../wire/messages.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { ClientOutput } from "./client-output.ts";
import type { View } from "./front.ts";
import type { Ongoing } from "./modern-clients.ts";
import type { ModernExchange } from "./modern-exchange.ts";
import { findResource } from "./resource-uris.ts";
import { ServerNews } from "./server-news.ts";

const FILTERS: Readonly<Record<string, string>> = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};

/** `subscriptions/listen`: a modern client hears of the changes it asked for until it hangs up. */
export class Listener implements ServerClient, Ongoing {
  readonly logLevel = undefined;
  readonly #workbench: Workbench;
  readonly #view: View;
  readonly #exchange: ModernExchange;
  readonly #request: IncomingRequest;
  readonly #output: ClientOutput;
  readonly #ended: () => void;
  readonly #wanted: JsonObject;
  readonly #attached = new Set<Connection>();
  readonly #standing: Call[] = [];
  /** What the client calls the resources it wants to hear about. */
  readonly #resources = new Map<Server, Map<string, string>>();
  readonly #news: ServerNews;
  #open = true;

  constructor(
    workbench: Workbench,
    view: View,
    exchange: ModernExchange,
    request: IncomingRequest,
    output: ClientOutput,
    ended: () => void,
  ) {
    this.#workbench = workbench;
    this.#view = view;
    this.#exchange = exchange;
    this.#request = request;
    this.#output = output;
    this.#ended = ended;
    const { notifications } = request.params;
    this.#wanted = isObject(notifications) ? notifications : {};
    this.#news = new ServerNews((method, params) => this.#tell(method, params));
  }

  async start(): Promise<void> {
    this.#workbench.watchers.add(this.#watcher);
    if (this.#view.server !== undefined)
      await this.#exchange.connect(this.#view.server).catch(() => undefined);
    for (const toolbox of this.#view.scope.values())
      for (const server of toolbox.servers.values())
        for (const connection of server.connections.values()) this.#watch(server, connection);
    await this.#subscribe();
    if (this.#open)
      this.#tell("notifications/subscriptions/acknowledged", { notifications: this.#wanted });
  }

  /** Ends the subscription as the protocol wants it: with the result of the request. */
  end(): void {
    if (!this.#open) return;
    const { idText, id } = this.#request;
    const result = { resultType: "complete", _meta: { [SUBSCRIPTION_KEY]: id } };
    this.#output.reply(idText, resultText(idText, result));
    this.cancel();
  }

  cancel(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#news.close();
    this.#workbench.watchers.delete(this.#watcher);
    for (const connection of this.#attached) {
      connection.clients.delete(this);
      connection.keepers.delete(this);
    }
    for (const call of this.#standing) call.route?.cancel(call, "unsubscribed");
    this.#ended();
  }

  toolsChanged(): void {
    if (this.#view.server !== undefined || this.#workbench.settings.toolMode === "dynamic")
      this.#tellIfWanted("notifications/tools/list_changed");
  }

  notified(
    server: Server,
    _connection: Connection,
    { method, params }: IncomingNotification,
  ): void {
    if (method !== "notifications/resources/updated") {
      this.#tellIfWanted(method);
      return;
    }
    const uri = this.#resources.get(server)?.get(String(params["uri"]));
    if (uri !== undefined) this.#tell(method, { ...params, uri });
  }

  asked(question: Question): void {
    question.refuseMethod();
  }

  readonly #watcher = {
    connected: (server: Server, connection: Connection): void => this.#watch(server, connection),
    surfaceChanged: (): void => this.#tellIfWanted("notifications/tools/list_changed"),
  };

  readonly #watch = (server: Server, connection: Connection): void => {
    const inScope =
      this.#view.scope.get(server.settings.toolbox)?.servers.get(server.name) === server;
    const seen = this.#view.server === undefined ? inScope : this.#view.server === server;
    if (!seen || this.#attached.has(connection)) return;
    this.#attached.add(connection);
    connection.clients.add(this);
    connection.keepers.add(this);
  };

  async #subscribe(): Promise<void> {
    const uris = this.#wanted["resourceSubscriptions"];
    for (const uri of Array.isArray(uris) ? uris : []) {
      if (typeof uri !== "string") continue;
      const address =
        this.#view.server === undefined
          ? await findResource(this.#exchange, uri)
          : { server: this.#view.server, uri };
      if ("code" in address) continue;
      const connection = await this.#exchange.connect(address.server).catch(() => undefined);
      if (connection === undefined || !this.#open) continue;
      this.#watch(address.server, connection);
      const names = this.#resources.get(address.server) ?? new Map<string, string>();
      this.#resources.set(address.server, names.set(address.uri, uri));
      if (connection.era === "modern")
        this.#standing.push(listenForUpdates(connection, [address.uri]));
      else ask(connection, "resources/subscribe", { uri: address.uri }).catch(() => {});
    }
  }

  #tellIfWanted(method: string): void {
    const filter = FILTERS[method];
    if (filter !== undefined && this.#wanted[filter] === true) this.#news.tell(method, {});
  }

  #tell(method: string, params: JsonObject): void {
    const { id, idText } = this.#request;
    const meta = { ...(isObject(params["_meta"]) && params["_meta"]), [SUBSCRIPTION_KEY]: id };
    this.#output.send(notificationText(method, { ...params, _meta: meta }), idText);
  }
}
