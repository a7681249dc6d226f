/**
 * A client made of nothing but lines: no SDK between the test and the program, because an SDK
 * hides exactly the faults that are looked for here.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { memberText } from "./json-text.ts";
import { Transcript } from "./transcript.ts";

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Something that arrived: the exact line, and its position among all lines. */
export interface Arrived {
  readonly line: string;
  readonly index: number;
}
export interface Response extends Arrived {
  readonly id: RequestId | null;
  readonly result?: unknown;
  readonly error?: RpcError;
}
export interface Notification extends Arrived {
  readonly method: string;
  readonly params: Params;
}
export interface ServerRequest extends Notification {
  readonly id: RequestId;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RequestOptions {
  readonly timeout?: number;
  readonly id?: RequestId;
}

/** Answers a request that the other side sends to us: with a result, or by throwing an `RpcFailure`. */
export type Responder = (params: Params) => unknown;

export class RpcFailure extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** How long tests wait for what must come: long enough for a machine whose cores are all busy. */
export const GENEROUS_MS = 60_000;

interface Waiting {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

export class RawClient {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every line of stdout, exactly as it came. */
  readonly lines: string[] = [];
  /** Lines of stdout that are not one JSON-RPC message: there must be none. */
  readonly garbage: string[] = [];
  /** Second answers to one id: there must be none. */
  readonly duplicates: Response[] = [];
  /** Answers to an id that was never asked; an answer to an unreadable message has the id `null`. */
  readonly unmatched: Response[] = [];
  readonly responses: Response[] = [];
  readonly notifications: Notification[] = [];
  readonly serverRequests: ServerRequest[] = [];
  readonly responders = new Map<string, Responder>([["ping", () => ({})]]);
  readonly exited: Promise<Exit>;
  stderr = "";

  #lastId = 0;
  #exit: Exit | undefined;
  /** Ids by their JSON text, so that `1` and `"1"` stay apart. */
  readonly #asked = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #watchers = new Set<() => void>();
  readonly #transcript: Transcript;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.#transcript = new Transcript(`process ${child.pid}`, () => this.stderr);
    this.#readLines();
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#wake();
    });
    // Writing to a program that has just ended is part of some tests.
    child.stdin.on("error", () => {});
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit): void => {
        this.#exit = exit;
        this.#transcript.note(`exit code ${exit.code}, signal ${exit.signal}`);
        this.#transcript.close();
        resolve(exit);
        const error = this.#failure(`program ended (code ${exit.code}, signal ${exit.signal})`);
        for (const waiting of this.#waiting.values()) waiting.reject(error);
        this.#waiting.clear();
        this.#wake();
      };
      child.on("error", () => end({ code: null, signal: null }));
      // What the program wrote last is read before anyone is told that it has ended.
      child.on("close", (code, signal) => end({ code, signal }));
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw this.#failure("program was not started");
    return this.child.pid;
  }

  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  request(method: string, params?: Params, options: RequestOptions = {}): Promise<Response> {
    return this.requestText(
      method,
      params === undefined ? undefined : JSON.stringify(params),
      options,
    );
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
        reject(this.#failure(`no answer to ${method} (id ${key}) within ${timeout} ms`));
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

  nextId(): number {
    return ++this.#lastId;
  }

  notify(method: string, params?: Params): void {
    this.sendLine(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
  }

  /** Sends a line as it is, whether it makes sense or not. */
  sendLine(text: string): void {
    const id = requestIdIn(text);
    if (id !== undefined) this.#asked.add(id);
    this.#transcript.sent(text);
    this.child.stdin.write(`${text}\n`);
  }

  /** Waits, woken by whatever arrives, until the condition gives something truthy. */
  async when<T>(
    condition: () => T,
    what: string,
    timeout = GENEROUS_MS,
  ): Promise<Exclude<T, undefined | null | false>> {
    const deadline = performance.now() + timeout;
    for (;;) {
      const value = condition();
      if (value) return value as Exclude<T, undefined | null | false>;
      const left = deadline - performance.now();
      if (left <= 0) throw this.#failure(`waited ${timeout} ms in vain for ${what}`);
      if (this.hasExited) throw this.#failure(`program ended before ${what}`);
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.#watchers.delete(done);
          resolve();
        };
        const timer = setTimeout(done, left);
        this.#watchers.add(done);
      });
    }
  }

  notificationsOf(method: string): Notification[] {
    return this.notifications.filter((notification) => notification.method === method);
  }

  responsesTo(id: RequestId): Response[] {
    return this.responses.filter((response) => response.id === id);
  }

  /** Ends stdin, as a client does that is finished, and waits for the program to end. */
  close(timeout = GENEROUS_MS): Promise<Exit> {
    this.child.stdin.end();
    return this.ended(timeout);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async ended(timeout = GENEROUS_MS): Promise<Exit> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = (): void => reject(this.#failure(`program still runs after ${timeout} ms`));
      timer = setTimeout(fail, timeout);
    });
    return Promise.race([this.exited, late]).finally(() => clearTimeout(timer));
  }

  #readLines(): void {
    let parts: Buffer[] = [];
    this.child.stdout.on("data", (chunk: Buffer) => {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        parts.push(chunk.subarray(start, end));
        this.#receive(Buffer.concat(parts).toString("utf8"));
        parts = [];
        start = end + 1;
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
      this.#wake();
    });
    this.child.stdout.on("end", () => {
      if (parts.length > 0) this.garbage.push(Buffer.concat(parts).toString("utf8"));
    });
  }

  #receive(line: string): void {
    const index = this.lines.push(line) - 1;
    this.#transcript.received(line);
    const message = parseMessage(line);
    if (message === undefined) this.garbage.push(line);
    else if (message.method === undefined) this.#receiveResponse({ ...message, line, index });
    else {
      const { method, params = {} } = message;
      const notification = { method, params, line, index };
      if (message.id === undefined) this.notifications.push(notification);
      else this.#receiveRequest({ ...notification, id: message.id as RequestId });
    }
  }

  #receiveResponse({ id = null, result, error, line, index }: Partial<Message> & Arrived): void {
    const key = JSON.stringify(id);
    const response: Response = {
      id,
      line,
      index,
      ...(error === undefined ? { result } : { error }),
    };
    this.responses.push(response);
    if (!this.#asked.has(key)) this.unmatched.push(response);
    else if (this.#answered.has(key)) this.duplicates.push(response);
    this.#answered.add(key);
    this.#waiting.get(key)?.resolve(response);
    this.#waiting.delete(key);
  }

  #receiveRequest(request: ServerRequest): void {
    this.serverRequests.push(request);
    const idText = memberText(request.line, "id") ?? "null";
    const respond = (member: "result" | "error", value: unknown): void =>
      this.sendLine(`{"jsonrpc":"2.0","id":${idText},"${member}":${JSON.stringify(value)}}`);
    const fail = (error: unknown): void => {
      const code = error instanceof RpcFailure ? error.code : -32603;
      respond("error", { code, message: String(error) });
    };
    const responder = this.responders.get(request.method);
    if (responder === undefined) return fail(new RpcFailure(-32601, "Method not found"));
    // A responder may take its time; an answer that never comes is a promise that never settles.
    new Promise((resolve) => resolve(responder(request.params))).then(
      (result) => respond("result", result),
      fail,
    );
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #failure(what: string): Error {
    const tail = this.stderr.slice(-2000);
    return new Error(tail === "" ? what : `${what}\n--- stderr of the program ---\n${tail}`);
  }
}

export interface Message {
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: RpcError;
}

/** One JSON-RPC message, or undefined when the line is anything else. */
export function parseMessage(line: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const message = value as Message & { jsonrpc?: unknown };
  if (message.jsonrpc !== "2.0") return undefined;
  const isAnswer = "id" in message && "result" in message !== "error" in message;
  return typeof message.method === "string" || isAnswer ? message : undefined;
}

/** The id of a request as JSON text, or undefined when the text is not a request. */
function requestIdIn(text: string): string | undefined {
  const message = parseMessage(text);
  if (message?.method === undefined || message.id === undefined) return undefined;
  return JSON.stringify(message.id);
}
