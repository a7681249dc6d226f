/** An MCP client over HTTP made of nothing but requests, and requests that are no such thing. */
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { text as textFrom } from "node:stream/consumers";
import type {
  Params,
  RequestId,
  RequestOptions,
  Response,
  RpcError,
} from "../support/raw-client.ts";
import { LATEST_LEGACY } from "../support/workbench.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Message {
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: RpcError;
}

export interface HttpClientOptions {
  readonly url: string;
  readonly token: string;
  readonly patienceMs: number;
  /** Everything that breaks the rule of one right answer for each request. */
  readonly complaints: string[];
}

export class HttpClient {
  /** Of all answers, in the order in which they came. */
  readonly notifications: { readonly about: RequestId; readonly message: Message }[] = [];
  readonly #options: HttpClientOptions;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 2 });
  #session: string | undefined;
  #nextId = 0;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "raw-http-client", version: "1.0.0" };
    const params = { protocolVersion: LATEST_LEGACY, capabilities: {}, clientInfo };
    const { error } = await this.request("initialize", params);
    if (error !== undefined) throw new Error(`initialize failed: ${JSON.stringify(error)}`);
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    this.#nextId = 0;
  }

  async request(
    method: string,
    params: Params = {},
    options: RequestOptions = {},
  ): Promise<Response> {
    const { id = this.#nextId++, timeout = this.#options.patienceMs } = options;
    const { status, headers, body } = await this.post(
      { jsonrpc: "2.0", id, method, params },
      timeout,
    );
    if (status !== 200) throw new Error(`${method} was answered with ${status}: ${body}`);
    const session = headers["mcp-session-id"];
    if (typeof session === "string") this.#session = session;
    const messages = messagesIn(headers, body);
    for (const message of messages)
      if (message.method !== undefined) this.notifications.push({ about: id, message });
    const answers = messages.filter((message) => message.method === undefined);
    const [answer = {}] = answers;
    if (answers.length !== 1 || answer.id !== id)
      this.#options.complaints.push(`${method} with id ${id} was answered with ${body}`);
    const { result, error } = answer;
    const outcome = error === undefined ? { result } : { error };
    return { id, line: JSON.stringify(answer), index: 0, ...outcome };
  }

  post(message: unknown, timeout = this.#options.patienceMs): Promise<HttpAnswer> {
    const body = JSON.stringify(message);
    return send(`${this.#options.url}/mcp`, body, {
      agent: this.#agent,
      timeout,
      headers: {
        authorization: `Bearer ${this.#options.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(this.#session !== undefined && { "mcp-session-id": this.#session }),
      },
    });
  }

  /** Ends the session, as few clients do. */
  async leave(): Promise<void> {
    const { url, token, patienceMs: timeout } = this.#options;
    if (this.#session === undefined) return;
    const headers = { authorization: `Bearer ${token}`, "mcp-session-id": this.#session };
    await send(`${url}/mcp`, "", { method: "DELETE", agent: this.#agent, timeout, headers });
  }

  /** Closes the connections and says nothing, as most clients do. */
  abandon(): void {
    this.#agent.destroy();
  }
}

function messagesIn(headers: IncomingHttpHeaders, body: string): Message[] {
  if (headers["content-type"]?.startsWith("text/event-stream") !== true)
    return [JSON.parse(body) as Message];
  return body
    .split("\n")
    .filter((line) => /^data: ?\{/.test(line))
    .map((line) => JSON.parse(line.slice(5)) as Message);
}

interface SendOptions {
  readonly method?: "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  readonly timeout: number;
}

function send(url: string, body: string, options: SendOptions): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { timeout, ...rest } = options;
    const sent = request(url, { method: "POST", ...rest }, (response) => {
      const { statusCode: status = 0, headers } = response;
      textFrom(response).then((answered) => resolve({ status, headers, body: answered }), reject);
    });
    const timer = setTimeout(() => sent.destroy(new Error(`no answer in ${timeout} ms`)), timeout);
    sent.on("close", () => clearTimeout(timer));
    sent.on("error", reject);
    sent.end(body);
  });
}

/** What came back for bytes that need not be HTTP, until the other side closed or `ms` passed. */
export interface RawAnswer {
  /** 0 if the connection was closed without an answer. */
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

/**
 * Sends bytes as they are and reads the answer. The writer may go on for as long as it likes; it is
 * told to stop by the signal.
 */
export function rawHttp(
  port: number,
  write: (send: (bytes: string | Buffer) => Promise<void>, stop: AbortSignal) => Promise<void>,
  ms: number,
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const begin = performance.now();
    const stop = new AbortController();
    let text = "";
    const socket = connect({ port, host: "127.0.0.1" });
    const end = (): void => {
      clearTimeout(timer);
      stop.abort();
      socket.destroy();
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      resolve({ status, text, tookMs: performance.now() - begin });
    };
    const timer = setTimeout(end, ms);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n\r\n")) end();
    });
    socket.on("close", end);
    socket.on("error", end);
    const sendBytes = (bytes: string | Buffer): Promise<void> =>
      new Promise((sent) => {
        if (stop.signal.aborted) sent();
        else socket.write(bytes, () => sent());
      });
    void write(sendBytes, stop.signal).catch(() => {});
  });
}
