import { type Outcome, result } from "../../calls/outcome.ts";
import { SUBSCRIPTION_KEY } from "../../protocol/envelope.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { ACKNOWLEDGED } from "../../servers/handshake/list-changes.ts";
import type { Server } from "../../servers/server.ts";
import {
  type IncomingRequest,
  type JsonObject,
  isObject,
  notificationMessage,
} from "../../wire/messages.ts";
import { withMembers } from "../../wire/members.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientOutput } from "../client-output.ts";
import type { ClientView } from "../client-view.ts";
import { ListenRelay } from "./listen-relay.ts";
import { ListenServers } from "./listen-servers.ts";
import type { ListenSource, ListenTarget } from "./listen-source.ts";
import type { ServedClient } from "../served-client.ts";
import { hiddenServer } from "../surface/seen-tools.ts";

const MAX_HELD_CHARS = 1024 * 1024;

/** `subscriptions/listen`: notifies a modern client of changes until either side ends it. */
export class Listener implements ListenTarget {
  readonly #workbench: Workbench;
  readonly #request: IncomingRequest;
  readonly #output: ClientOutput;
  #source: ListenSource | undefined;
  /** Notifications that arrived before the client knows that it is listening, as JSON. */
  #held: string[] | undefined = [];
  #heldChars = 0;
  #open = true;
  readonly #ended: Promise<void>;
  #markEnded: () => void = () => {};

  constructor(workbench: Workbench, request: IncomingRequest, output: ClientOutput) {
    this.#workbench = workbench;
    this.#request = request;
    this.#output = output;
    this.#ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
  }

  /** Starts to listen; throws what keeps it from listening. */
  async start(view: ClientView, client: ServedClient): Promise<void> {
    this.#workbench.watchers.add(this.#watcher);
    try {
      this.#source = await this.#sourceOf(view, client);
      const notifications = await this.#source.start();
      if (!this.#open) this.#source.close();
      this.#acknowledge(notifications);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Waits for the end. The protocol requires that the client gets a result then. */
  async outcome(): Promise<Outcome> {
    await this.#ended;
    return result(`{"_meta":${this.#metaText({})}}`);
  }

  notify(method: string, params: JsonObject): void {
    if (!this.#open) return;
    const text = this.#textOf(method, params);
    if (this.#held === undefined) this.#send(text);
    else this.#hold(text);
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#workbench.watchers.delete(this.#watcher);
    this.#source?.close();
    this.#markEnded();
  }

  readonly #watcher = {
    onConnected: (server: Server, connection: Connection): void =>
      this.#source?.onConnected(server, connection),
    onLearned: (): void => this.#source?.onLearned?.(),
    onSurfaceChanged: (): void => this.#source?.onSurfaceChanged(),
  };

  /** A modern server that is seen as it is hears the client's own request. */
  async #sourceOf(view: ClientView, client: ServedClient): Promise<ListenSource> {
    const { notifications } = this.#request.params;
    const wanted = isObject(notifications) ? notifications : {};
    const hidden = view.server && hiddenServer(client, view.server);
    if (hidden !== undefined) throw hidden;
    const connection = view.server && (await client.connect(view.server));
    return connection?.hello.era === "modern"
      ? new ListenRelay(view, connection, this.#request, this, client)
      : new ListenServers(this.#workbench, view, client, wanted, this);
  }

  #acknowledge(notifications: JsonObject): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (!this.#open) return;
    this.#send(this.#textOf(ACKNOWLEDGED, { notifications }));
    for (const text of held) this.#send(text);
  }

  /** A server that never acknowledges may send forever; what exceeds the limit is dropped. */
  #hold(text: string): void {
    if (this.#heldChars + text.length > MAX_HELD_CHARS) return;
    this.#heldChars += text.length;
    this.#held?.push(text);
  }

  #send(text: string): void {
    this.#output.send(text, this.#request.idText);
  }

  #textOf(method: string, params: JsonObject): string {
    const text = withMembers(JSON.stringify(params), { _meta: this.#metaText(params["_meta"]) });
    return notificationMessage(method, text);
  }

  /** `_meta` with the id of the subscription, exactly as the client wrote it. */
  #metaText(meta: unknown): string {
    const { idText } = this.#request;
    return withMembers(JSON.stringify(isObject(meta) ? meta : {}), { [SUBSCRIPTION_KEY]: idText });
  }
}
