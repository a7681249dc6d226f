import { Agent, type IncomingHttpHeaders, request } from "node:http";

import { type Answer, INITIALIZE } from "./connection.ts";

const KEPT = 4_096;

interface Reply extends Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** A raw client of Streamable HTTP with connections that are kept open. */
export class HttpClient {
  readonly #port: number;
  readonly #path: string;
  readonly #agent: Agent;
  #headers: Record<string, string>;
  #nextId = 1;

  constructor(port: number, path: string, token: string | undefined, sockets: number) {
    this.#port = port;
    this.#path = path;
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets });
    this.#headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  async initialize(): Promise<void> {
    const { headers } = await this.#post("initialize", INITIALIZE, this.#nextId++);
    const session = headers["mcp-session-id"];
    if (typeof session === "string")
      this.#headers = { ...this.#headers, "mcp-session-id": session };
    await this.#post("notifications/initialized", {}, undefined);
  }

  async request(method: string, params: unknown): Promise<Answer> {
    return this.#post(method, params, this.#nextId++);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #post(method: string, params: unknown, id: number | undefined): Promise<Reply> {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const reply = await this.#send(body);
    if (reply.status >= 300) throw new Error(`HTTP ${reply.status}: ${reply.head}`);
    return reply;
  }

  #send(body: Buffer): Promise<Reply> {
    const headers = { ...this.#headers, "content-length": body.length };
    const { promise, resolve, reject } = later<Reply>();
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: this.#port,
        path: this.#path,
        method: "POST",
        agent: this.#agent,
        headers,
      },
      (response) => {
        let bytes = 0;
        let head = "";
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (head.length < KEPT) head += chunk.toString("latin1", 0, KEPT);
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, head }),
        );
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
    return promise;
  }
}

function later<T>(): {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
} {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
