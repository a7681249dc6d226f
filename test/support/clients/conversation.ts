/**
 * JSON-RPC by hand, over any transport: no SDK between the test and the program, because an SDK hides
 * exactly the faults that are looked for here.
 */
import { memberText } from "../json-text.ts";
import type { Transcript } from "../transcript.ts";
import {
  type Arrived,
  GENEROUS_MS,
  type Message,
  type Notification,
  type Params,
  parseMessage,
  type RequestId,
  type Response,
  RpcFailure,
  type ServerRequest,
} from "./json-rpc.ts";
import { type Found, Watchers } from "./watchers.ts";

export interface RequestOptions {
  readonly timeout?: number;
  readonly id?: RequestId;
}

/**
 * Answers a request of the other side: with a result (as `JsonText` when its bytes matter), or by
 * throwing an `RpcFailure`.
 */
export type Responder = (params: Params, request: ServerRequest) => unknown;

/** JSON that is sent as it is written. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

interface Waiting {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

export abstract class Conversation {
  /** Every message that arrived, exactly as it came. */
  readonly lines: string[] = [];
  /** Input that is not a JSON-RPC message: there must be none. */
  readonly garbage: string[] = [];
  /** Second answers to one id: there must be none. */
  readonly duplicates: Response[] = [];
  /** Answers to an unknown id; an answer to an unreadable message has the id `null`. */
  readonly unmatched: Response[] = [];
  readonly responses: Response[] = [];
  readonly notifications: Notification[] = [];
  readonly serverRequests: ServerRequest[] = [];
  readonly responders = new Map<string, Responder>([["ping", () => ({})]]);
  /** For requests that have no responder of their own. */
  fallbackResponder: Responder = () => {
    throw new RpcFailure(-32601, "Method not found");
  };
  /** Called with every notification as it arrives. */
  onNotification: (notification: Notification) => void = () => {};
  /** False keeps no valid messages, for conversations of many megabytes. */
  keepsHistory = true;
  /** Written by the transport, which has more information than the messages. */
  abstract readonly transcript: Transcript;

  #lastId = 0;
  #arrived = 0;
  #endReason: string | undefined;
  /** Ids by their JSON text, so that `1` and `"1"` stay apart. */
  readonly #asked = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #watchers = new Watchers();

  /** Passes a message to the transport. */
  protected abstract transmit(text: string): void;
  /** What the program has logged so far. */
  protected abstract get log(): string;
  abstract close(): Promise<unknown>;

  request(method: string, params?: Params, options: RequestOptions = {}): Promise<Response> {
    const text = params === undefined ? undefined : JSON.stringify(params);
    return this.requestText(method, text, options);
  }

  /** As `request`, with the parameters as exact text. */
  requestText(
    method: string,
    params: string | undefined,
    { timeout = GENEROUS_MS, id = this.nextId() }: RequestOptions = {},
  ): Promise<Response> {
    const key = JSON.stringify(id);
    const response = new Promise<Response>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(key);
        reject(this.failure(`no answer to ${method} (id ${key}) within ${timeout} ms`));
      }, timeout);
      const settle =
        <T>(how: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          how(value);
        };
      this.#waiting.set(key, { resolve: settle(resolve), reject: settle(reject) });
    });
    this.sendLine(
      `{"jsonrpc":"2.0","id":${key},"method":${JSON.stringify(method)}${params === undefined ? "" : `,"params":${params}`}}`,
    );
    return response;
  }

  /** Stops waiting for an answer, and fails its request. */
  giveUp(id: RequestId, reason: Error): void {
    const key = JSON.stringify(id);
    this.#waiting.get(key)?.reject(reason);
    this.#waiting.delete(key);
  }

  nextId(): number {
    return ++this.#lastId;
  }

  notify(method: string, params?: Params): void {
    this.sendLine(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
  }

  /** Sends a message unchanged, whether it is valid or not. */
  sendLine(text: string): void {
    const id = requestIdIn(text);
    if (id !== undefined) this.#asked.add(id);
    this.transmit(text);
  }

  /** Waits until the condition returns something truthy; checked whenever something arrives. */
  when<T>(condition: () => T, what: string, timeout = GENEROUS_MS): Promise<Found<T>> {
    return this.#watchers.until(condition, timeout, (isLate) => {
      if (isLate) return this.failure(`waited ${timeout} ms in vain for ${what}`);
      if (this.#endReason !== undefined) return this.failure(`${this.#endReason} before ${what}`);
      return undefined;
    });
  }

  notificationsOf(method: string): Notification[] {
    return this.notifications.filter((notification) => notification.method === method);
  }

  responsesTo(id: RequestId): Response[] {
    return this.responses.filter((response) => response.id === id);
  }

  protected receive(line: string): void {
    const index = this.#arrived++;
    if (this.keepsHistory) this.lines.push(line);
    const message = parseMessage(line);
    if (message === undefined) this.garbage.push(line);
    else if (message.method === undefined) this.#receiveResponse(message, { line, index });
    else {
      const { id, method, params = {} } = message;
      const notification = { method, params, line, index };
      if (id === undefined) this.#receiveNotification(notification);
      else this.#receiveRequest({ ...notification, id: id as RequestId });
    }
  }

  /** Nothing more will arrive. */
  protected finish(what: string, details = ""): void {
    this.#endReason = what;
    const error = this.failure(`${what}${details}`);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
    this.wake();
  }

  protected wake(): void {
    this.#watchers.wake();
  }

  protected failure(what: string): Error {
    const tail = this.log.slice(-2000);
    return new Error(tail === "" ? what : `${what}\n--- stderr of the program ---\n${tail}`);
  }

  #receiveResponse({ id = null, result, error }: Message, arrived: Arrived): void {
    const key = JSON.stringify(id);
    const outcome = error === undefined ? { result } : { error };
    const response: Response = { id, ...arrived, ...outcome };
    if (this.keepsHistory) this.responses.push(response);
    if (!this.#asked.has(key)) this.unmatched.push(response);
    else if (this.#answered.has(key)) this.duplicates.push(response);
    this.#answered.add(key);
    this.#waiting.get(key)?.resolve(response);
    this.#waiting.delete(key);
  }

  #receiveNotification(notification: Notification): void {
    if (this.keepsHistory) this.notifications.push(notification);
    this.onNotification(notification);
  }

  #receiveRequest(request: ServerRequest): void {
    if (this.keepsHistory) this.serverRequests.push(request);
    const idText = memberText(request.line, "id") ?? "null";
    const respond = (member: "result" | "error", value: unknown): void => {
      const text = value instanceof JsonText ? value.text : JSON.stringify(value);
      this.sendLine(`{"jsonrpc":"2.0","id":${idText},"${member}":${text}}`);
    };
    const responder = this.responders.get(request.method) ?? this.fallbackResponder;
    // A responder may take a while; an answer that never comes is a promise that never settles.
    new Promise((resolve) => resolve(responder(request.params, request))).then(
      (result) => respond("result", result),
      (error: unknown) => {
        const code = error instanceof RpcFailure ? error.code : -32603;
        respond("error", { code, message: String(error) });
      },
    );
  }
}

/** The id of a request as JSON text, or undefined when the text is not a request. */
function requestIdIn(text: string): string | undefined {
  const message = parseMessage(text);
  if (message?.method === undefined || message.id === undefined) return undefined;
  return JSON.stringify(message.id);
}
