import type { Call, Caller } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import { cancel } from "../../calls/settle.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { ACKNOWLEDGED, openListenStream } from "../../servers/handshake/list-changes.ts";
import type { Server } from "../../servers/server.ts";
import { memberText } from "../../wire/members.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  isObject,
} from "../../wire/messages.ts";
import { shownTask } from "../apps/amend-ui.ts";
import type { ClientView } from "../client-view.ts";
import { mayReceive } from "../passed-messages.ts";
import type { ServedClient } from "../served-client.ts";
import { LIST_FILTERS, type ListenSource, type ListenTarget } from "./listen-source.ts";
import { ABOUT_TASKS, ListenTasks } from "./listen-tasks.ts";

/** Sends the client's own request to one modern server, and forwards its notifications. */
export class ListenRelay implements ListenSource, Caller {
  readonly #view: ClientView;
  readonly #client: ServedClient;
  readonly #target: ListenTarget;
  readonly #tasks: ListenTasks;
  readonly #filter: string;
  readonly #meta: string;
  #connection: Connection;
  #stream: Call | undefined;
  #honoured: JsonObject = {};
  #acknowledged: ((honoured: JsonObject) => void) | undefined;

  constructor(
    view: ClientView,
    connection: Connection,
    request: IncomingRequest,
    target: ListenTarget,
    client: ServedClient,
  ) {
    const { pipeline, owner, principal } = client;
    this.#client = client;
    this.#view = view;
    this.#connection = connection;
    this.#target = target;
    this.#tasks = new ListenTasks(pipeline.tasks, owner, connection.place);
    const params = memberText(request.text, "params") ?? "{}";
    const wanted = memberText(params, "notifications") ?? "{}";
    const isOpen = !pipeline.visibility?.deniesOthers(principal, connection.place);
    this.#filter = this.#tasks.ownTasksIn(isOpen ? wanted : aboutTools(wanted));
    this.#meta = memberText(params, "_meta") ?? "{}";
  }

  start(): Promise<JsonObject> {
    return new Promise((resolve) => {
      this.#acknowledged = resolve;
      this.#listen();
    });
  }

  /** The server was restarted: it has to be asked again, and may offer something else. */
  onConnected(server: Server, connection: Connection): void {
    const { server: only } = this.#view;
    if (server !== only || connection === this.#connection || connection.hello.era === "legacy")
      return;
    if (!this.#connection.closed) return;
    this.#connection = connection;
    this.#listen();
    for (const [method, { filter }] of Object.entries(LIST_FILTERS))
      if (this.#honoured[filter] === true) this.#target.notify(method, {});
  }

  onSurfaceChanged(): void {
    // The server itself decides what it offers.
  }

  close(): void {
    if (this.#stream !== undefined) cancel(this.#stream, "unsubscribed");
  }

  onCallNotification(_call: Call, notification: IncomingNotification): void {
    const { method, params } = notification;
    if (method !== ACKNOWLEDGED) {
      const isAllowed = mayReceive(this.#client, this.#connection, method);
      if (isAllowed && this.#tasks.allows(notification)) this.#notify(method, params);
      return;
    }
    const { notifications } = params;
    this.#honoured = isObject(notifications) ? notifications : {};
    this.#acknowledged?.(this.#honoured);
  }

  #notify(method: string, params: JsonObject): void {
    const shown = method === ABOUT_TASKS ? shownTask(this.#client, params) : params;
    if (shown instanceof Promise) void shown.then((task) => this.#target.notify(method, task));
    else this.#target.notify(method, shown);
  }

  onSettled(_call: Call, { kind }: Outcome): void {
    this.#acknowledged?.({});
    // A response means that the server ended the subscription. If the connection was lost, the next
    // one is asked again.
    if (kind === "response") this.#target.end();
  }

  onProgress(): void {
    // A subscription does not have any.
  }

  onServerRequest(serverRequest: Parameters<Caller["onServerRequest"]>[0]): void {
    serverRequest.refuseMethod();
  }

  #listen(): void {
    this.#stream = openListenStream(this.#connection, this.#filter, this.#meta, this);
  }
}

/** The filter of a client that may not use the prompts and resources of the server, as JSON. */
function aboutTools(filter: string): string {
  const kept = ["toolsListChanged", "taskIds"].flatMap((key) => {
    const value = memberText(filter, key);
    return value === undefined ? [] : [`"${key}":${value}`];
  });
  return `{${kept.join(",")}}`;
}
