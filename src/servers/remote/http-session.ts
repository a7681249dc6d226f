import type { Line } from "../../wire/lines.ts";
import { withMembers } from "../../wire/members.ts";
import { type JsonObject, isObject, notificationText } from "../../wire/messages.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure, statusFailure } from "./remote-failure.ts";
import { readMessages } from "./response-messages.ts";

const SESSION_HEADER = "mcp-session-id";
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export const POST_HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};

/**
 * The session that a legacy server keeps for us: its id goes with every request, and when the
 * server has forgotten it, a new one is begun with the words of the first.
 */
export class HttpSession {
  /** The protocol version that was agreed on. */
  version: string | undefined;
  readonly #http: HttpClient;
  readonly #limit: number;
  #id: string | undefined;
  #initialize = "";
  /** What the server has to be told again in a new session, by what it is about. */
  readonly #wishes = new Map<string, string>();
  #lastId = 0;

  constructor(http: HttpClient, limit: number) {
    this.#http = http;
    this.#limit = limit;
  }

  get id(): string | undefined {
    return this.#id;
  }

  get headers(): Record<string, string> {
    return {
      ...(this.#id !== undefined && { [SESSION_HEADER]: this.#id }),
      ...(this.version !== undefined && { "mcp-protocol-version": this.version }),
    };
  }

  /** The server has answered `initialize`. */
  begun(response: HttpResponse, initialize: string): void {
    const id = response.headers[SESSION_HEADER];
    this.#id = typeof id === "string" && VISIBLE_ASCII.test(id) ? id : undefined;
    this.#initialize = initialize;
  }

  /** Begins a new session in place of one that the server has forgotten. */
  async renew(exchange: Exchange): Promise<void> {
    const id = this.#nextId();
    const initialize = withMembers(this.#initialize, { id: JSON.stringify(id) });
    const response = await this.#post(initialize, {}, exchange);
    const version = await this.#agreedVersion(response, id);
    if (version !== this.version)
      throw this.#failure(`it answers with protocol version ${JSON.stringify(version)}`);
    this.begun(response, this.#initialize);
    const initialized = notificationText("notifications/initialized");
    (await this.#post(initialized, this.headers, exchange)).discard();
    for (const wish of this.#wishes.values()) {
      const again = withMembers(wish, { id: JSON.stringify(this.#nextId()) });
      // A server that does not accept it any more is still as good as new.
      const accepted = this.#post(again, this.headers, exchange);
      await accepted.then((answer) => answer.discard()).catch(() => {});
    }
  }

  /** The server has accepted a request; some of them are to hold for as long as the session. */
  remember(method: string, message: string): void {
    if (method === "logging/setLevel") this.#wishes.set(method, message);
    const adds = method === "resources/subscribe";
    if (!adds && method !== "resources/unsubscribe") return;
    const { params } = JSON.parse(message) as { params?: { uri?: unknown } };
    const resource = `resource ${String(params?.uri)}`;
    if (adds) this.#wishes.set(resource, message);
    else this.#wishes.delete(resource);
  }

  /** Tells the server that the session is over. */
  async end(exchange: Exchange): Promise<void> {
    if (this.#id === undefined) return;
    const { headers } = this;
    this.#id = undefined;
    const response = await this.#http.request({ method: "DELETE", headers }, exchange);
    response.discard();
  }

  /** Ids of our own, which no call of the connection has. */
  #nextId(): string {
    return `session-${++this.#lastId}`;
  }

  async #agreedVersion(response: HttpResponse, id: string): Promise<unknown> {
    const answer = await new Promise<JsonObject>((resolve, reject) => {
      const handlers = {
        line: (line: Line) => {
          const message = parsed(line.text);
          if (isObject(message) && message["id"] === id) resolve(message);
        },
        oversized: () => {},
      };
      const missing = new RemoteFailure("noAnswer", this.#http.host, "to initialize");
      readMessages(response, this.#limit, handlers).then(() => reject(missing), reject);
    });
    response.discard();
    const { result } = answer;
    if (!isObject(result)) throw this.#failure("it does not accept the handshake any more");
    return result["protocolVersion"];
  }

  async #post(
    body: string,
    headers: Record<string, string>,
    exchange: Exchange,
  ): Promise<HttpResponse> {
    const request = { method: "POST" as const, headers: { ...POST_HEADERS, ...headers }, body };
    const response = await this.#http.request(request, exchange);
    if (response.ok) return response;
    response.discard();
    throw statusFailure(response.status, this.#http.host, undefined);
  }

  #failure(detail: string): RemoteFailure {
    return new RemoteFailure("noNewSession", this.#http.host, detail);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
