/** One request over HTTP and its answer, which may be read while it arrives. */
import { once } from "node:events";
import { type Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Transcript } from "../transcript.ts";
import { EventReader } from "./events.ts";
import { GENEROUS_MS, type Message } from "./json-rpc.ts";
import { Watchers } from "./watchers.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

export type HeaderMap = Readonly<Record<string, string | undefined>>;

export interface Sent {
  readonly method?: string;
  /** Undefined removes a header that would be sent otherwise. */
  readonly headers?: HeaderMap;
  readonly body?: string | Buffer;
  readonly agent?: Agent | false;
  readonly transcript?: Transcript;
}

let exchanges = 0;

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
  const begun = new Begun(outgoing, transcript, `#${++exchanges}`);
  transcript?.sent(`#${exchanges} ${method} ${outgoing.path} ${String(body ?? "")}`);
  outgoing.end(body);
  return begun;
}

/** An exchange under way. */
export class Begun {
  readonly #outgoing: ClientRequest;
  readonly #response: Promise<IncomingMessage>;
  readonly #events = new EventReader();
  readonly #texts: string[] = [];
  readonly #watchers = new Watchers();
  readonly #transcript: Transcript | undefined;
  readonly #label: string;
  /** Called with the text of every message as soon as it is complete. */
  onMessage: (text: string) => void = () => {};
  #text = "";
  #ended = false;

  constructor(outgoing: ClientRequest, transcript: Transcript | undefined, label: string) {
    this.#outgoing = outgoing;
    this.#transcript = transcript;
    this.#label = label;
    this.#response = once(outgoing, "response").then(([response]) => response as IncomingMessage);
    this.#response.then(
      (response) => {
        const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
        transcript?.note(`${label} HTTP ${response.statusCode}`);
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          this.#text += text;
          if (isStream) for (const data of this.#events.read(text)) this.#arrived(data);
          this.#watchers.wake();
        });
        response.on("close", () => {
          this.#ended = true;
          if (!isStream && this.#text !== "") this.#arrived(this.#text);
          transcript?.note(`${label} ended${response.complete ? "" : ", incomplete"}`);
          this.#watchers.wake();
        });
        response.on("error", () => {});
      },
      () => {},
    );
    outgoing.on("error", (error) => transcript?.note(`${label} failed: ${error.message}`));
  }

  async head(): Promise<{ status: number; headers: IncomingMessage["headers"] }> {
    const { statusCode = 0, headers } = await this.#response;
    return { status: statusCode, headers };
  }

  /** What has arrived so far. */
  get messages(): Message[] {
    return this.#texts
      .filter((text) => text.startsWith("{"))
      .map((text) => JSON.parse(text) as Message);
  }

  get text(): string {
    return this.#text;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Waits until something of this kind has arrived. */
  async when<T>(find: (messages: Message[]) => T | undefined, what: string): Promise<T> {
    await this.#response;
    const found = await this.#watchers.until(
      () => {
        const value = find(this.messages);
        return value === undefined ? undefined : { value };
      },
      GENEROUS_MS,
      (isLate) =>
        isLate || this.#ended ? new Error(`no ${what} in: ${this.#text.slice(-2000)}`) : undefined,
    );
    return found.value;
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

  #arrived(text: string): void {
    if (text === "") return;
    this.#texts.push(text);
    this.#transcript?.received(`${this.#label} ${text}`);
    this.onMessage(text);
  }
}

export function exchange(url: string, sent: Sent): Promise<Answer> {
  return begin(url, sent).done();
}
