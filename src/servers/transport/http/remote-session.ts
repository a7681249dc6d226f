import { atMost } from "../../deadline.ts";
import { tryParseWithinLimits } from "../../../wire/json-limits.ts";
import type { Line } from "../../../wire/lines.ts";
import { type JsonObject, isObject } from "../../../wire/messages.ts";
import { Cancellation } from "./cancellation.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure, statusFailure } from "./remote-failure.ts";
import { readMessages } from "./response-messages.ts";
import { ServerStream, type ServerStreamSettings } from "./server-stream.ts";
import type { SessionMemory } from "./session-memory.ts";

const SESSION_HEADER = "mcp-session-id";
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export const POST_HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};

export interface RemoteSessionSettings extends Omit<ServerStreamSettings, "headers"> {
  readonly memory: SessionMemory;
}

/**
 * Our session with a legacy server; its id goes with every request. The server may send messages
 * that belong to no call on a stream of the session.
 */
export class RemoteSession {
  readonly #http: HttpClient;
  readonly #memory: SessionMemory;
  readonly #limit: number;
  readonly #stream: ServerStream;
  #id: string | undefined;

  constructor({ memory, ...settings }: RemoteSessionSettings) {
    this.#http = settings.http;
    this.#memory = memory;
    this.#limit = settings.limit;
    this.#stream = new ServerStream({ ...settings, headers: () => this.headers });
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

  /** Opens the stream unless it is open or the server does not offer it. */
  openStream(): void {
    this.#stream.open();
  }

  /** Opens it again for a new session. */
  reopenStream(): void {
    this.#stream.reopen();
  }

  closeStream(): void {
    this.#stream.close();
  }

  /** Asks the server to end the session, which it has this much time for. */
  async end(timeoutMs: number): Promise<void> {
    if (this.#id === undefined) return;
    const { headers } = this;
    this.#id = undefined;
    const cancellation = new Cancellation();
    const timer = setTimeout(() => cancellation.cancel(), timeoutMs);
    try {
      const sent = this.#http.request({ method: "DELETE", headers }, cancellation);
      // A token may have to be refreshed for it, which cannot be cancelled.
      (await atMost(timeoutMs, sent))?.discard();
    } catch {
      // A server that does not get the message will expire the session.
    } finally {
      clearTimeout(timer);
    }
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
