/** A client over HTTP that checks every answer, and requests that no client sends. */
import { Agent } from "node:http";
import { connect } from "node:net";
import { isAuditedMethod } from "../support/audit.ts";
import type { RequestOptions } from "../support/clients/conversation.ts";
import {
  LEGACY,
  type Message,
  type Params,
  type RequestId,
  type Response,
} from "../support/clients/json-rpc.ts";
import {
  type Answer,
  type Begun,
  HttpClient as PlainClient,
  messagesIn,
} from "../support/http-client.ts";
import type { Transcript } from "../support/transcript.ts";

export interface HttpClientOptions {
  readonly url: string;
  readonly token: string;
  readonly patienceMs: number;
  /** Everything that violates the rule of one right answer for each request. */
  readonly complaints: string[];
  /** Counts the requests that belong in the audit log. */
  readonly audited?: AuditedRequests;
  readonly transcript?: Transcript;
}

export interface AuditedRequests {
  sent: number;
  answered: number;
}

export class HttpClient {
  /** Of all answers, in the order in which they came. */
  readonly notifications: { readonly about: RequestId; readonly message: Message }[] = [];
  readonly #options: HttpClientOptions;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 2 });
  readonly #client: PlainClient;
  #nextId = 0;

  constructor(options: HttpClientOptions) {
    const { url, token, transcript } = options;
    this.#options = options;
    this.#client = new PlainClient(`${url}/mcp`, token, {
      agent: this.#agent,
      ...(transcript && { transcript }),
    });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "raw-http-client", version: "1.0.0" };
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
    const { error } = await this.request("initialize", params);
    if (error !== undefined) throw new Error(`initialize failed: ${JSON.stringify(error)}`);
    await this.#patiently(
      this.#client.post({ jsonrpc: "2.0", method: "notifications/initialized" }),
    );
    this.#nextId = 0;
  }

  async request(
    method: string,
    params: Params = {},
    { id = this.#nextId++, timeout }: RequestOptions = {},
  ): Promise<Response> {
    const audited = isAuditedMethod(method) ? this.#options.audited : undefined;
    if (audited) audited.sent++;
    const begun = this.#client.request(method, params, { id });
    const { status, headers, text } = await this.#patiently(begun, timeout);
    if (audited) audited.answered++;
    if (status !== 200) throw new Error(`${method} was answered with ${status}: ${text}`);
    const session = headers["mcp-session-id"];
    if (typeof session === "string") this.#client.sessionId = session;
    const messages = messagesIn(text);
    for (const message of messages)
      if (message.method !== undefined) this.notifications.push({ about: id, message });
    const answers = messages.filter((message) => message.method === undefined);
    const [answer = {}] = answers;
    if (answers.length !== 1 || answer.id !== id)
      this.#options.complaints.push(`${method} with id ${id} was answered with ${text}`);
    const { result, error } = answer;
    const outcome = error === undefined ? { result } : { error };
    return { id, line: JSON.stringify(answer), index: 0, ...outcome };
  }

  /** Opens the stream for notifications and keeps it open, so that the session is in use. */
  async listen(): Promise<void> {
    const { status } = await this.#client.listen().head();
    if (status !== 200) throw new Error(`the stream was answered with ${status}`);
  }

  /** Ends the session, as few clients do. */
  async leave(): Promise<void> {
    if (this.#client.sessionId !== undefined) await this.#client.leave();
  }

  /** Closes the connections without ending the session, as most clients do. */
  abandon(): void {
    this.#agent.destroy();
  }

  async #patiently(begun: Begun, timeout = this.#options.patienceMs): Promise<Answer> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      begun.hangUp();
    }, timeout);
    const answer = await begun.done().catch((error: unknown) => error as Error);
    clearTimeout(timer);
    if (isLate) throw new Error(`no answer in ${timeout} ms`);
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

/** The response to bytes that need not be HTTP, until the other side closed or `ms` passed. */
export interface RawAnswer {
  /** 0 if the connection was closed without an answer. */
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

/**
 * Sends bytes unchanged and reads the answer. The writer may continue as long as it likes; the
 * signal stops it.
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
