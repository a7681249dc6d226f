import { withMembers } from "../../../wire/members.ts";
import { type JsonObject, isObject, notificationText } from "../../../wire/messages.ts";

/** How messages reach the server while a session is opened again. */
export interface SessionReplay {
  /** Sends `initialize` under this id and returns the answer. */
  initialize(message: string, id: number): Promise<JsonObject>;
  /** The server has accepted `initialize`. */
  onInitialized(): void;
  send(message: string): Promise<void>;
}

/**
 * What a legacy server has to know for as long as its session lasts. When it has forgotten the
 * session, a new one is opened with the same messages.
 */
export class SessionMemory {
  /** The negotiated protocol version. */
  version: string | undefined;
  #initialize = "";
  /** The messages that set the log level and subscribe to resources, by what they are about. */
  readonly #settings = new Map<string, string>();
  /** Ids that no call has, because those count up from 1. */
  #nextId = Number.MAX_SAFE_INTEGER;

  /** The server has accepted a request. */
  remember(method: string, message: string): void {
    if (method === "initialize") this.#initialize = message;
    if (method === "logging/setLevel") this.#settings.set(method, message);
    const adds = method === "resources/subscribe";
    if (!adds && method !== "resources/unsubscribe") return;
    const { params } = JSON.parse(message) as { params?: { uri?: unknown } };
    const resource = `resource ${String(params?.uri)}`;
    if (adds) this.#settings.set(resource, message);
    else this.#settings.delete(resource);
  }

  /** Repeats everything that the server has forgotten. */
  async replay(to: SessionReplay): Promise<void> {
    const id = this.#nextId--;
    const initialize = withMembers(this.#initialize, { id: String(id) });
    this.#check(await to.initialize(initialize, id));
    to.onInitialized();
    await to.send(notificationText("notifications/initialized"));
    for (const message of this.#settings.values()) {
      const repeated = withMembers(message, { id: String(this.#nextId--) });
      // A server that no longer accepts it can still be used.
      await to.send(repeated).catch(() => {});
    }
  }

  /** Throws if the answer to `initialize` does not allow the new session to replace the first. */
  #check({ result }: JsonObject): void {
    if (!isObject(result)) throw new Error("it no longer accepts the handshake");
    const { protocolVersion } = result;
    if (protocolVersion !== this.version)
      throw new Error(`it answers with protocol version ${JSON.stringify(protocolVersion)}`);
  }
}
