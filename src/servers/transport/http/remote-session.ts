import { tryParseWithinLimits } from "../../../wire/json-limits.ts";
import type { Line } from "../../../wire/lines.ts";
import { type JsonObject, isObject } from "../../../wire/messages.ts";
import type { Cancellation } from "./cancellation.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure, statusFailure } from "./remote-failure.ts";
import { readMessages } from "./response-messages.ts";
import type { SessionMemory } from "./session-memory.ts";

const SESSION_HEADER = "mcp-session-id";
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export const POST_HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};

/** Our session with a legacy server; its id goes with every request. */
export class RemoteSession {
  readonly #http: HttpClient;
  readonly #memory: SessionMemory;
  readonly #limit: number;
  #id: string | undefined;

  constructor(http: HttpClient, memory: SessionMemory, limit: number) {
    this.#http = http;
    this.#memory = memory;
    this.#limit = limit;
  }

  get id(): string | undefined {
    return this.#id;
  }

  get headers(): Record<string, string> {
    const { version } = this.#memory;
    return {
      ...(this.#id !== undefined && { [SESSION_HEADER]: this.#id }),
      ...(version !== undefined && { "mcp-protocol-version": version }),
    };
  }

  /** Takes the session id from the response to `initialize`. */
  begin(response: HttpResponse): void {
    const id = response.headers[SESSION_HEADER];
    this.#id = typeof id === "string" && VISIBLE_ASCII.test(id) ? id : undefined;
  }

  /** Opens a session in place of one that the server has forgotten. */
  async renew(cancellation: Cancellation): Promise<void> {
    let response: HttpResponse;
    await this.#memory.replay({
      initialize: async (message, id) => {
        response = await this.#post(message, {}, cancellation);
        return this.#answerIn(response, id);
      },
      onInitialized: () => this.begin(response),
      send: async (message) => (await this.#post(message, this.headers, cancellation)).discard(),
    });
  }

  /** Asks the server to end the session. */
  async end(cancellation: Cancellation): Promise<void> {
    if (this.#id === undefined) return;
    const { headers } = this;
    this.#id = undefined;
    const response = await this.#http.request({ method: "DELETE", headers }, cancellation);
    response.discard();
  }

  async #answerIn(response: HttpResponse, id: number): Promise<JsonObject> {
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
    cancellation: Cancellation,
  ): Promise<HttpResponse> {
    const request = { method: "POST" as const, headers: { ...POST_HEADERS, ...headers }, body };
    const response = await this.#http.request(request, cancellation);
    if (response.ok) return response;
    response.discard();
    throw statusFailure(response.status, this.#http.host, undefined);
  }
}
