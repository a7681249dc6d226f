/** MCP over HTTP without an SDK: nothing between the test and the wire. */
import type { Agent } from "node:http";
import { messagesIn } from "./clients/events.ts";
import {
  type Answer,
  begin,
  type Begun,
  exchange,
  type HeaderMap,
} from "./clients/http-exchange.ts";
import { LEGACY, META, MODERN, type Message, nameIn, type Params } from "./clients/json-rpc.ts";
import { Transcript } from "./transcript.ts";

export { messagesIn } from "./clients/events.ts";
export { type Answer, begin, Begun, exchange, type HeaderMap } from "./clients/http-exchange.ts";
export { LEGACY, type Message, MODERN } from "./clients/json-rpc.ts";

const BOTH = "application/json, text/event-stream";

export interface HttpClientOptions {
  /** Whether connections are used again; without it every request has its own. */
  readonly agent?: Agent;
  /** Headers of every request. */
  readonly headers?: HeaderMap;
  /** Where all exchanges are recorded; clients of one workbench share one. */
  readonly transcript?: Transcript;
}

/** A client at one address. Legacy with a session after `initialize`, modern with each request. */
export class HttpClient {
  readonly url: string;
  sessionId: string | undefined;
  agent: Agent | false;
  readonly #own: HeaderMap;
  readonly #transcript: Transcript;
  #lastId = 0;

  constructor(url: string, token: string | undefined, options: HttpClientOptions = {}) {
    this.url = url;
    this.agent = options.agent ?? false;
    this.#own = {
      accept: BOTH,
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      ...options.headers,
    };
    this.#transcript = options.transcript ?? new Transcript(url);
  }

  get #headers(): HeaderMap {
    return { ...this.#own, "mcp-session-id": this.sessionId };
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /** Sends a body unchanged. */
  post(body: unknown, headers: HeaderMap = {}): Begun {
    return begin(this.url, {
      agent: this.agent,
      headers: { ...this.#headers, "content-type": "application/json", ...headers },
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      transcript: this.#transcript,
    });
  }

  request(
    method: string,
    params: Params = {},
    { id = this.nextId(), headers = {} }: { id?: string | number; headers?: HeaderMap } = {},
  ): Begun {
    return this.post({ jsonrpc: "2.0", id, method, params }, headers);
  }

  /** The answer to a request, whatever came before it. */
  async ask(method: string, params?: Params): Promise<Message> {
    const { text } = await this.request(method, params).done();
    const answer = messagesIn(text).at(-1);
    if (answer === undefined) throw new Error(`no answer to ${method}: ${text}`);
    return answer;
  }

  notify(method: string, params: Params = {}): Promise<Answer> {
    return this.post({ jsonrpc: "2.0", method, params }).done();
  }

  /** Answers a request of the other side. */
  respond(id: unknown, result: unknown): Promise<Answer> {
    return this.post({ jsonrpc: "2.0", id, result }).done();
  }

  async initialize(protocolVersion = LEGACY, capabilities: Params = {}): Promise<Answer> {
    const clientInfo = { name: "http-client", version: "1.0.0" };
    const params = { protocolVersion, capabilities, clientInfo };
    const answer = await this.request("initialize", params).done();
    const { "mcp-session-id": id } = answer.headers;
    if (typeof id !== "string") return answer;
    this.sessionId = id;
    await this.notify("notifications/initialized");
    return answer;
  }

  /** Opens the stream for messages that answer no request. */
  listen(headers: HeaderMap = {}): Begun {
    const all = { ...this.#headers, accept: "text/event-stream", ...headers };
    return begin(this.url, { method: "GET", headers: all, transcript: this.#transcript });
  }

  /** Ends the session. */
  leave(headers: HeaderMap = {}): Promise<Answer> {
    const all = { ...this.#headers, ...headers };
    return exchange(this.url, { method: "DELETE", headers: all, transcript: this.#transcript });
  }

  /** A request of the modern era, with everything that belongs to it. */
  modern(
    method: string,
    params: Params = {},
    { capabilities = {}, meta = {}, headers = {}, id = this.nextId() }: ModernOptions = {},
  ): Begun {
    const envelope = {
      [`${META}protocolVersion`]: MODERN,
      [`${META}clientCapabilities`]: capabilities,
      [`${META}clientInfo`]: { name: "http-client", version: "1.0.0" },
      ...meta,
    };
    return this.post(
      { jsonrpc: "2.0", id, method, params: { ...params, _meta: envelope } },
      { ...modernHeaders({ method, params }), ...headers },
    );
  }
}

export interface ModernOptions {
  readonly id?: string | number;
  readonly capabilities?: Params;
  readonly meta?: Params;
  readonly headers?: HeaderMap;
}

/** The parts of a message that a modern client repeats in its headers. */
export function modernHeaders({ method, params }: Message, version = MODERN): HeaderMap {
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    "mcp-name": nameIn(params),
  };
}
