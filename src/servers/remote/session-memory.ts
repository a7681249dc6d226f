import { type JsonObject, isObject } from "../../wire/messages.ts";

/**
 * What a legacy server was told that is to hold for as long as its session: when it has forgotten the
 * session, a new one is begun with the words of the first, and all that was wished for is said again.
 */
export class SessionMemory {
  /** The protocol version that was agreed on. */
  version: string | undefined;
  #initialize = "";
  /** By what they are about. */
  readonly #wishes = new Map<string, string>();

  /** The `initialize` that the session was begun with. */
  get initialize(): string {
    return this.#initialize;
  }

  get wishes(): Iterable<string> {
    return this.#wishes.values();
  }

  /** The server has accepted a request. */
  remember(method: string, message: string): void {
    if (method === "initialize") this.#initialize = message;
    if (method === "logging/setLevel") this.#wishes.set(method, message);
    const adds = method === "resources/subscribe";
    if (!adds && method !== "resources/unsubscribe") return;
    const { params } = JSON.parse(message) as { params?: { uri?: unknown } };
    const resource = `resource ${String(params?.uri)}`;
    if (adds) this.#wishes.set(resource, message);
    else this.#wishes.delete(resource);
  }

  /** Why a new session cannot take the place of the first, by the answer to its `initialize`. */
  objectionTo({ result }: JsonObject): string | undefined {
    if (!isObject(result)) return "it does not accept the handshake any more";
    const { protocolVersion } = result;
    return protocolVersion === this.version
      ? undefined
      : `it answers with protocol version ${JSON.stringify(protocolVersion)}`;
  }
}
