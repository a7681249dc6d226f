import { tryParseWithinLimits } from "../../wire/json-limits.ts";
import type { Line } from "../../wire/lines.ts";
import { withMembers } from "../../wire/members.ts";
import { type JsonObject, isObject, notificationText } from "../../wire/messages.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure, statusFailure } from "./remote-failure.ts";
import { readMessages } from "./response-messages.ts";
import { SessionMemory } from "./session-memory.ts";

const SESSION_HEADER = "mcp-session-id";
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export const POST_HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};

/** The session that a legacy server keeps for us: its id goes with every request. */
export class HttpSession {
  readonly memory = new SessionMemory();
  readonly #http: HttpClient;
  readonly #limit: number;
  #id: string | undefined;
  #lastId = 0;

  constructor(http: HttpClient, limit: number) {
    this.#http = http;
    this.#limit = limit;
  }

  get id(): string | undefined {
    return this.#id;
  }

  get headers(): Record<string, string> {
    const { version } = this.memory;
    return {
      ...(this.#id !== undefined && { [SESSION_HEADER]: this.#id }),
      ...(version !== undefined && { "mcp-protocol-version": version }),
    };
  }

  /** The server has answered `initialize`. */
  begun(response: HttpResponse): void {
    const id = response.headers[SESSION_HEADER];
    this.#id = typeof id === "string" && VISIBLE_ASCII.test(id) ? id : undefined;
  }

  /** Begins a new session in place of one that the server has forgotten. */
  async renew(exchange: Exchange): Promise<void> {
    const id = this.#nextId();
    const initialize = withMembers(this.memory.initialize, { id: JSON.stringify(id) });
    const response = await this.#post(initialize, {}, exchange);
    const objection = this.memory.objectionTo(await this.#answerIn(response, id));
    if (objection !== undefined) throw new Error(objection);
    this.begun(response);
    const initialized = notificationText("notifications/initialized");
    (await this.#post(initialized, this.headers, exchange)).discard();
    for (const wish of this.memory.wishes) {
      const again = withMembers(wish, { id: JSON.stringify(this.#nextId()) });
      // A server that does not accept it any more is still as good as new.
      const accepted = this.#post(again, this.headers, exchange);
      await accepted.then((answer) => answer.discard()).catch(() => {});
    }
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

  async #answerIn(response: HttpResponse, id: string): Promise<JsonObject> {
    const answer = await new Promise<JsonObject>((resolve, reject) => {
      const handlers = {
        line: (line: Line) => {
          const message = tryParseWithinLimits(line.text);
          if (isObject(message) && message["id"] === id) resolve(message);
        },
        oversized: () => {},
      };
      const missing = new RemoteFailure("noAnswer", this.#http.host, "to initialize");
      readMessages(response, this.#limit, handlers).then(() => reject(missing), reject);
    });
    response.discard();
    return answer;
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
}
