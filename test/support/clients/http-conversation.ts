/** A conversation over Streamable HTTP: one POST for each message, answers as JSON or as events. */
import { Agent } from "node:http";
import { HttpClient, modernHeaders } from "../http-client.ts";
import { Transcript } from "../transcript.ts";
import { Conversation } from "./conversation.ts";
import type { Begun, HeaderMap } from "./http-exchange.ts";
import { LEGACY, META, type Message, MODERN, type Params } from "./json-rpc.ts";

export interface HttpPlace {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the program at this address has logged so far. */
  readonly log?: () => string;
}

export class HttpConversation extends Conversation {
  readonly transcript: Transcript;
  readonly #log: () => string;
  readonly #isModern: boolean;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #client: HttpClient;
  readonly #open = new Map<unknown, Begun>();
  #isInitialized = false;

  constructor({ url, headers, log = () => "" }: HttpPlace, isModern: boolean) {
    super();
    this.transcript = new Transcript(`client of ${url}`, log);
    this.#log = log;
    this.#isModern = isModern;
    const { transcript } = this;
    this.#client = new HttpClient(url, undefined, { headers, agent: this.#agent, transcript });
  }

  /** Opens the stream for messages that answer no request. */
  listen(): void {
    this.#isInitialized = true;
    this.#read("listen", this.#client.listen(this.#sessionHeaders));
  }

  /** Closes the connection of a request, which is how a modern client cancels it. */
  hangUp(id: unknown): void {
    this.#open.get(id)?.hangUp();
  }

  async close(): Promise<void> {
    if (this.#client.sessionId !== undefined) await this.#client.leave(this.#sessionHeaders);
    for (const exchange of this.#open.values()) exchange.hangUp();
    this.#agent.destroy();
    this.transcript.close();
    this.finish("the client was closed");
  }

  protected override transmit(text: string): void {
    const message = JSON.parse(text) as Message;
    const isRequest = message.method !== undefined && message.id !== undefined;
    const exchange = this.#client.post(text, this.#headersOf(message));
    const key = isRequest ? message.id : exchange;
    exchange.head().then(
      ({ headers }) => {
        const id = headers["mcp-session-id"];
        if (!this.#isModern && typeof id === "string") this.#client.sessionId ??= id;
      },
      () => {},
    );
    const ended = this.#read(key, exchange);
    if (isRequest)
      void ended.then((outcome) =>
        this.giveUp(message.id as string, this.failure(`${message.method}: ${outcome}`)),
      );
  }

  protected override get log(): string {
    return this.#log();
  }

  get #sessionHeaders(): HeaderMap {
    return this.#isInitialized ? { "mcp-protocol-version": LEGACY } : {};
  }

  #headersOf(message: Message): HeaderMap {
    if (!this.#isModern) return this.#sessionHeaders;
    const meta = message.params?.["_meta"] as Params | undefined;
    const version = meta?.[`${META}protocolVersion`];
    return modernHeaders(message, typeof version === "string" ? version : MODERN);
  }

  /** Reads an exchange to its end, and reports how it ended. */
  async #read(key: unknown, exchange: Begun): Promise<string> {
    this.#open.set(key, exchange);
    exchange.onMessage = (text) => {
      this.receive(text);
      this.wake();
    };
    try {
      const { status, text } = await exchange.done();
      return `no answer to it in HTTP ${status}: ${text.slice(0, 500)}`;
    } catch (error) {
      return String(error);
    } finally {
      this.#open.delete(key);
    }
  }
}
