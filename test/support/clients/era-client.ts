/**
 * A client of the matrix without an SDK, in either era: sees and sends exactly what is on the wire.
 */
import { spawn } from "node:child_process";
import { RawClient } from "../raw-client.ts";
import { type Conversation, JsonText } from "./conversation.ts";
import { HttpConversation } from "./http-conversation.ts";
import { LEGACY, META, MODERN, type Notification, type Response, RpcFailure } from "./json-rpc.ts";
import {
  type CallOptions,
  CAPABILITIES,
  type Endpoint,
  type Era,
  type FidelityClient,
  Inbox,
  infoOf,
  type Interest,
  type Json,
} from "./matrix-client.ts";
import { subscribeAll } from "./subscribe.ts";

const MAX_ROUNDS = 10;
/** Some servers keep running without a client, until they get a signal. */
const SIGNAL_AFTER_MS = 1000;

export class EraClient implements FidelityClient {
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
  /**
   * Answers requests instead of the inbox: gets the request's text and returns the result's text.
   */
  answering: ((request: string) => string) | undefined;
  readonly #conversation: Conversation;
  readonly #progress = new Map<string, (params: Json) => void>();
  #nextId = 1;

  private constructor(endpoint: Endpoint, era: Era) {
    this.era = era;
    this.kind = `raw-${era}`;
    this.#conversation = open(endpoint, era);
    // Some of these conversations move many megabytes.
    this.#conversation.keepsHistory = false;
    this.#conversation.onNotification = (notification) => this.#notified(notification);
    this.#conversation.fallbackResponder = (params, { line, method }) =>
      this.answering === undefined
        ? this.inbox.answer(method, params)
        : new JsonText(this.answering(line));
  }

  static async connect(endpoint: Endpoint, era: Era): Promise<EraClient> {
    const client = new EraClient(endpoint, era);
    const hello = await (era === "legacy"
      ? client.#initialize()
      : client.request("server/discover"));
    const meta = (hello["_meta"] ?? {}) as Json;
    client.hello = {
      serverInfo: (hello["serverInfo"] ?? meta[`${META}serverInfo`]) as Json | undefined,
      capabilities: hello["capabilities"] as Json,
      instructions: hello["instructions"] as string | undefined,
    };
    return client;
  }

  get transcript(): FidelityClient["transcript"] {
    return this.#conversation.transcript;
  }

  async request(method: string, params: Json = {}, options: CallOptions = {}): Promise<Json> {
    let more: Json = {};
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { error, ...response } = await this.#exchange(method, { ...params, ...more }, options);
      if (error !== undefined) throw new RpcFailure(error.code, error.message, error.data);
      const result = (response.result ?? {}) as Json;
      if (result["resultType"] !== "input_required") return result;
      more = this.#answersTo(result);
    }
    throw new Error(`${method} still asks after ${MAX_ROUNDS} rounds`);
  }

  /** Sends parameters unchanged, and returns the answer as it was written. */
  async requestText(method: string, params: string): Promise<string> {
    const id = `t-${this.#nextId++}`;
    return (await this.#conversation.requestText(method, params, { id })).line;
  }

  async notify(method: string, params: Json): Promise<void> {
    this.#conversation.notify(method, params);
  }

  async watch(interest: Interest): Promise<() => Promise<void>> {
    if (this.era === "legacy")
      return subscribeAll((method, params) => this.request(method, params), interest);
    const mark = this.inbox.notifications.length;
    const stop = new AbortController();
    const params = { notifications: interest };
    const options = { signal: stop.signal, timeout: LISTEN_MS };
    const ended = this.#exchange("subscriptions/listen", params, options).catch(() => undefined);
    await this.inbox.next("notifications/subscriptions/acknowledged", mark);
    return async () => {
      stop.abort();
      await ended;
    };
  }

  async close(): Promise<void> {
    if (!(this.#conversation instanceof RawClient)) return void (await this.#conversation.close());
    const program = this.#conversation;
    const force = setTimeout(() => program.kill("SIGTERM"), SIGNAL_AFTER_MS);
    await program.close();
    clearTimeout(force);
  }

  /** How a modern request describes its client. */
  get envelope(): Json {
    return {
      [`${META}protocolVersion`]: MODERN,
      [`${META}clientCapabilities`]: {
        ...CAPABILITIES,
        extensions: { ...CAPABILITIES.extensions, ...this.extensions },
      },
      [`${META}clientInfo`]: infoOf(this.kind),
    };
  }

  async #initialize(): Promise<Json> {
    const hello = await this.request("initialize", {
      protocolVersion: LEGACY,
      capabilities: CAPABILITIES,
      clientInfo: infoOf(this.kind),
    });
    if (this.#conversation instanceof HttpConversation) this.#conversation.listen();
    this.#conversation.notify("notifications/initialized");
    return hello;
  }

  async #exchange(
    method: string,
    params: Json,
    { onProgress, signal, ...options }: CallOptions & { timeout?: number },
  ): Promise<Response> {
    const id = `r-${this.#nextId++}`;
    const progressToken = `token ${id}`;
    const meta = {
      ...(params["_meta"] as Json | undefined),
      ...(onProgress && { progressToken }),
      ...(this.era === "modern" && this.envelope),
    };
    const sent = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    if (onProgress !== undefined) this.#progress.set(progressToken, onProgress);
    signal?.addEventListener("abort", () => this.#cancel(id, signal.reason as Error));
    try {
      return await this.#conversation.request(method, sent, { id, ...options });
    } finally {
      this.#progress.delete(progressToken);
    }
  }

  #cancel(id: string, reason: Error): void {
    // Over HTTP a modern client disconnects instead; a shared channel needs a notification.
    this.#conversation.notify("notifications/cancelled", { requestId: id, reason: "enough" });
    this.#conversation.giveUp(id, reason);
    if (this.#conversation instanceof HttpConversation) this.#conversation.hangUp(id);
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

  #notified({ method, params, line }: Notification): void {
    this.listening?.(line);
    if (method !== "notifications/progress") return this.inbox.notified(method, params);
    this.inbox.progress.push(params);
    const { progressToken, ...progress } = params;
    this.#progress.get(String(progressToken))?.(progress);
  }
}

/** A stream of changes stays open until its client closes it. */
const LISTEN_MS = 2 ** 31 - 1;

function open(endpoint: Endpoint, era: Era): Conversation {
  if (endpoint.transport === "http") return new HttpConversation(endpoint, era === "modern");
  const { command, args, env, cwd } = endpoint;
  return new RawClient(spawn(command, args, { env, cwd, stdio: "pipe" }));
}
