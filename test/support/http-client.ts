/** MCP over HTTP by hand: nothing between the test and what is on the wire. */
import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { GENEROUS_MS, type Params } from "./raw-client.ts";
import type { Transcript } from "./transcript.ts";

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
const BOTH = "application/json, text/event-stream";
const META = "io.modelcontextprotocol/";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** A message in either direction, as loosely as tests need it. */
export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params & { readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type HeaderMap = Readonly<Record<string, string | undefined>>;

export interface Sent {
  readonly method?: string;
  /** Undefined removes a header that would be sent otherwise. */
  readonly headers?: HeaderMap;
  readonly body?: string | Buffer;
  readonly agent?: Agent | false;
  /** Where the exchange is written down. */
  readonly transcript?: Transcript | undefined;
}

/** Starts an exchange; the response may be read while it arrives. */
export function begin(url: string, sent: Sent): Begun {
  const { method = "POST", headers = {}, body, agent, transcript } = sent;
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  const outgoing = request(url, {
    method,
    agent: agent ?? false,
    setHost: headers["host"] === undefined,
    headers: Object.fromEntries(given) as Record<string, string>,
  });
  transcript?.sent(`${method} ${outgoing.path} ${String(body ?? "")}`);
  outgoing.end(body);
  return new Begun(outgoing, transcript);
}

/** An exchange under way. */
export class Begun {
  readonly #outgoing: ClientRequest;
  readonly #response: Promise<IncomingMessage>;
  #text = "";
  #ended = false;
  readonly #woken = new Set<() => void>();

  constructor(outgoing: ClientRequest, transcript?: Transcript) {
    this.#outgoing = outgoing;
    this.#response = once(outgoing, "response").then(([response]) => response as IncomingMessage);
    this.#response.then(
      (response) => {
        response.setEncoding("utf8");
        transcript?.received(`HTTP ${response.statusCode} to ${outgoing.method} ${outgoing.path}`);
        response.on("data", (text: string) => {
          this.#text += text;
          transcript?.received(text);
          this.#wake();
        });
        response.on("close", () => {
          this.#ended = true;
          this.#wake();
        });
        response.on("error", () => {});
      },
      () => {},
    );
    outgoing.on("error", (error) => transcript?.note(`${outgoing.path}: ${error.message}`));
  }

  async head(): Promise<{ status: number; headers: IncomingMessage["headers"] }> {
    const { statusCode = 0, headers } = await this.#response;
    return { status: statusCode, headers };
  }

  /** What has arrived so far. */
  get messages(): Message[] {
    return messagesIn(this.#text);
  }

  get text(): string {
    return this.#text;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Waits until something of this kind has arrived. */
  async when<T>(find: (messages: Message[]) => T | undefined, what: string): Promise<T> {
    const deadline = performance.now() + GENEROUS_MS;
    await this.#response;
    for (;;) {
      const found = find(this.messages);
      if (found !== undefined) return found;
      const left = deadline - performance.now();
      if (left <= 0 || this.#ended) throw new Error(`no ${what} in: ${this.#text}`);
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.#woken.delete(done);
          resolve();
        };
        const timer = setTimeout(done, left);
        this.#woken.add(done);
      });
    }
  }

  method(name: string): Promise<Message> {
    return this.when((messages) => messages.find(({ method }) => method === name), name);
  }

  async done(): Promise<Answer> {
    const response = await this.#response;
    if (!this.#ended) await once(response, "close");
    return { status: response.statusCode ?? 0, headers: response.headers, text: this.#text };
  }

  hangUp(): void {
    this.#outgoing.destroy();
  }

  #wake(): void {
    for (const wake of this.#woken) wake();
  }
}

export function exchange(url: string, sent: Sent): Promise<Answer> {
  return begin(url, sent).done();
}

/** The messages of a body, in order: one of JSON, or those of an event stream. */
export function messagesIn(text: string): Message[] {
  if (text.startsWith("{")) return [JSON.parse(text) as Message];
  const events = text.split("\n\n").slice(0, -1);
  return events
    .flatMap((event) => event.split("\n"))
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Message);
}

/** A client at one address. Legacy with a session after `initialize`, modern with each request. */
export class HttpClient {
  readonly url: string;
  sessionId: string | undefined;
  /** Whether connections are used again; without it every request has its own. */
  agent: Agent | false = false;
  readonly #token: string | undefined;
  readonly #transcript: Transcript | undefined;
  #lastId = 0;

  constructor(url: string, token: string | undefined, transcript?: Transcript) {
    this.url = url;
    this.#token = token;
    this.#transcript = transcript;
  }

  get #headers(): HeaderMap {
    return {
      accept: BOTH,
      authorization: this.#token === undefined ? undefined : `Bearer ${this.#token}`,
      "mcp-session-id": this.sessionId,
    };
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /** Sends a body as it is. */
  post(body: unknown, headers: HeaderMap = {}): Begun {
    return begin(this.url, {
      agent: this.agent,
      transcript: this.#transcript,
      headers: { ...this.#headers, "content-type": "application/json", ...headers },
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
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

  /** Opens the stream for what is said unasked. */
  listen(headers: HeaderMap = {}): Begun {
    const all = { ...this.#headers, accept: "text/event-stream", ...headers };
    return begin(this.url, { method: "GET", headers: all, transcript: this.#transcript });
  }

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
    const name = params["name"] ?? params["uri"] ?? params["taskId"];
    return this.post(
      { jsonrpc: "2.0", id, method, params: { ...params, _meta: envelope } },
      {
        "mcp-protocol-version": MODERN,
        "mcp-method": method,
        "mcp-name": typeof name === "string" ? name : undefined,
        ...headers,
      },
    );
  }
}

export interface ModernOptions {
  readonly id?: string | number;
  readonly capabilities?: Params;
  readonly meta?: Params;
  readonly headers?: HeaderMap;
}

/** `use_tool` on the tool `toolbox/server/name`, as parameters of `tools/call`. */
export function useTool(path: string, args: Params = {}, meta?: Params): Params {
  const [toolbox, server, name] = path.split("/");
  const tool = { toolbox, server, name };
  return { name: "use_tool", arguments: { tool, arguments: args }, ...(meta && { _meta: meta }) };
}

export const textOf = (message: Message | undefined): string | undefined =>
  message?.result?.content?.[0]?.text;
