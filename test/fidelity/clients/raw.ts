/** A client without an SDK, in either era: sees and says exactly what is on the wire. */
import {
  CAPABILITIES,
  type Endpoint,
  type Era,
  type FidelityClient,
  Inbox,
  type Interest,
  type Json,
  type RequestOptions,
  RpcFailure,
  infoOf,
} from "./client.ts";
import { type RawLink, openLink } from "./raw-link.ts";
import { subscribeAll } from "./subscribe.ts";

const PREFIX = "io.modelcontextprotocol/";
const MAX_ROUNDS = 10;

interface Answer {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Waiting {
  readonly settle: (text: string, answer: Answer) => void;
  readonly progressToken: string | undefined;
  readonly onProgress: ((params: Json) => void) | undefined;
}

export class RawClient implements FidelityClient {
  readonly kind: "raw-legacy" | "raw-modern";
  readonly era: Era;
  readonly inbox = new Inbox();
  hello: FidelityClient["hello"] = {
    serverInfo: undefined,
    capabilities: {},
    instructions: undefined,
  };
  /** Further capabilities that a modern client declares with each request. */
  extensions: Json | undefined;
  /** Sees the text of every notification. */
  listening: ((notification: string) => void) | undefined;
  /** Answers questions in place of the inbox: gets the text of one and gives the text of the result. */
  answering: ((question: string) => string) | undefined;
  readonly #link: RawLink;
  readonly #waiting = new Map<string, Waiting>();
  #nextId = 1;

  private constructor(link: RawLink, era: Era) {
    this.#link = link;
    this.era = era;
    this.kind = `raw-${era}`;
    link.receive = (text) => this.#receive(text);
  }

  static async connect(endpoint: Endpoint, era: Era): Promise<RawClient> {
    const client = new RawClient(openLink(endpoint), era);
    const hello = await (era === "legacy"
      ? client.#initialize()
      : client.request("server/discover"));
    const meta = (hello["_meta"] ?? {}) as Json;
    client.hello = {
      serverInfo: (hello["serverInfo"] ?? meta[`${PREFIX}serverInfo`]) as Json | undefined,
      capabilities: hello["capabilities"] as Json,
      instructions: hello["instructions"] as string | undefined,
    };
    return client;
  }

  async request(method: string, params: Json = {}, options: RequestOptions = {}): Promise<Json> {
    let more: Json = {};
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { result, error } = await this.#exchange(method, { ...params, ...more }, options);
      if (error !== undefined) throw new RpcFailure(error.code, error.message, error.data);
      if (result === undefined || result["resultType"] !== "input_required") return result ?? {};
      more = this.#answersTo(result);
    }
    throw new Error(`${method} still asks after ${MAX_ROUNDS} rounds`);
  }

  /** Sends parameters as they are, and gives the answer as it was written. */
  requestText(
    method: string,
    params: string,
    routing: { name?: string; version?: string } = {},
  ): Promise<string> {
    const id = `t-${this.#nextId++}`;
    const message = `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`;
    return new Promise((resolve) => {
      this.#waiting.set(id, { settle: resolve, progressToken: undefined, onProgress: undefined });
      const modern = this.era === "modern";
      this.#link.send(message, { method, modern, ...routing });
    });
  }

  async notify(method: string, params: Json): Promise<void> {
    this.#send({ method, params }, { method });
  }

  async watch(interest: Interest): Promise<() => Promise<void>> {
    if (this.era === "legacy")
      return subscribeAll((method, params) => this.request(method, params), interest);
    const mark = this.inbox.notifications.length;
    const hangUp = new AbortController();
    const ended = this.#exchange(
      "subscriptions/listen",
      { notifications: interest },
      {
        signal: hangUp.signal,
      },
    ).catch(() => undefined);
    await this.inbox.next("notifications/subscriptions/acknowledged", mark);
    return async () => {
      hangUp.abort();
      await ended;
    };
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  /** What a modern request says about its client. */
  get envelope(): Json {
    return {
      [`${PREFIX}protocolVersion`]: "2026-07-28",
      [`${PREFIX}clientCapabilities`]: {
        ...CAPABILITIES,
        ...(this.extensions && { extensions: this.extensions }),
      },
      [`${PREFIX}clientInfo`]: infoOf(this.kind),
    };
  }

  async #initialize(): Promise<Json> {
    const hello = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: CAPABILITIES,
      clientInfo: infoOf(this.kind),
    });
    this.#link.initialized();
    this.#send({ method: "notifications/initialized" }, { method: "notifications/initialized" });
    return hello;
  }

  #exchange(method: string, params: Json, { onProgress, signal }: RequestOptions): Promise<Answer> {
    const id = `r-${this.#nextId++}`;
    const progressToken = onProgress && `token ${id}`;
    const meta = {
      ...(params["_meta"] as Json | undefined),
      ...(progressToken !== undefined && { progressToken }),
      ...(this.era === "modern" && this.envelope),
    };
    const sent = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    const name = (params["name"] ?? params["uri"] ?? params["taskId"]) as string | undefined;
    return new Promise((resolve, reject) => {
      const settle = (_text: string, answer: Answer): void => resolve(answer);
      this.#waiting.set(id, { settle, progressToken, onProgress });
      signal?.addEventListener("abort", () => {
        this.#waiting.delete(id);
        // Over HTTP a modern client hangs up instead; a shared channel needs to be told.
        this.#send(
          { method: "notifications/cancelled", params: { requestId: id, reason: "enough" } },
          { method: "notifications/cancelled" },
        );
        reject(signal.reason);
      });
      this.#send({ id, method, params: sent }, { method, name, ...(signal && { hangUp: signal }) });
    });
  }

  #send(
    message: Json,
    routing: { method: string; name?: string | undefined; hangUp?: AbortSignal },
  ): void {
    const modern = this.era === "modern";
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#link.send(text, { ...routing, modern });
  }

  #answersTo({ inputRequests = {}, requestState }: Json): Json {
    const asked = Object.entries(inputRequests as Record<string, { method: string; params: Json }>);
    const answers = asked.map(([key, { method, params }]) => [
      key,
      this.inbox.answer(method, params),
    ]);
    return {
      inputResponses: Object.fromEntries(answers) as Json,
      ...(requestState !== undefined && { requestState }),
    };
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as Answer;
    const { id, method, params = {} } = message;
    if (method === undefined) {
      const waiting = this.#waiting.get(String(id));
      this.#waiting.delete(String(id));
      waiting?.settle(text, message);
    } else if (id !== undefined && this.answering !== undefined) {
      const result = this.answering(text);
      const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
      this.#link.send(answer, { method, modern: false });
    } else if (id !== undefined) this.#answerQuestion(id, method, params);
    else {
      this.listening?.(text);
      if (method === "notifications/progress") this.#progressed(params);
      else this.inbox.notified(method, params);
    }
  }

  #progressed({ progressToken, ...progress }: Json): void {
    for (const waiting of this.#waiting.values())
      if (waiting.progressToken === progressToken) waiting.onProgress?.(progress);
  }

  #answerQuestion(id: string | number, method: string, params: Json): void {
    try {
      const result = method === "ping" ? {} : this.inbox.answer(method, params);
      this.#send({ id, result }, { method });
    } catch (error) {
      const { code = -32603, message } = error as Partial<RpcFailure>;
      this.#send({ id, error: { code, message } }, { method });
    }
  }
}
