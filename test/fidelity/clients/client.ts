/** The clients of the matrix, all driven through one interface. */

export type Json = Readonly<Record<string, unknown>>;
export type Era = "legacy" | "modern";

export const CLIENTS = [
  "sdk-v1",
  "sdk-v2-legacy",
  "sdk-v2-modern",
  "raw-legacy",
  "raw-modern",
] as const;
export type ClientKind = (typeof CLIENTS)[number];

export function eraOf(kind: ClientKind): Era {
  return kind.endsWith("modern") ? "modern" : "legacy";
}

/** Where a client connects to. */
export type Endpoint =
  | {
      readonly transport: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | {
      readonly transport: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** A notification that arrived, or a question that was put to the client. */
export interface Message {
  readonly method: string;
  readonly params: Json;
}

export interface RequestOptions {
  readonly onProgress?: (params: Json) => void;
  readonly signal?: AbortSignal;
}

/** What the other side said about itself. */
export interface Hello {
  readonly serverInfo: Json | undefined;
  readonly capabilities: Json;
  readonly instructions: string | undefined;
}

/** What a client wants to hear about. */
export interface Interest {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** An error that the other side answered with. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface FidelityClient {
  readonly kind: ClientKind;
  readonly era: Era;
  readonly inbox: Inbox;
  readonly hello: Hello;
  /** Sends a request, with the method an SDK has for it; throws `RpcFailure` for an error. */
  request(method: string, params?: Json, options?: RequestOptions): Promise<Json>;
  notify(method: string, params: Json): Promise<void>;
  /** Asks to hear of changes, in the way of the client's era; gives what ends it. */
  watch(interest: Interest): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** What every client of the matrix says about itself. */
export const CAPABILITIES = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
  experimental: { "fidelity/experiment": { level: 3 } },
};

export function infoOf(kind: ClientKind): { name: string; version: string; title: string } {
  return { name: `fidelity-${kind}`, version: "3.2.1", title: "Fidelity matrix" };
}

export const FORM_ANSWER = { action: "accept", content: { name: "Ada", age: 36, color: "red" } };
export const URL_ANSWER = { action: "accept" };
export const ROOTS_ANSWER = { roots: [{ uri: "file:///home/ada/project", name: "project" }] };
export const SAMPLING_ANSWER = {
  role: "assistant",
  content: { type: "text", text: "Hello from the model" },
  model: "small-1",
  stopReason: "endTurn",
};

/** What arrived at a client without being an answer. */
export class Inbox {
  readonly notifications: Message[] = [];
  readonly questions: Message[] = [];
  /** Whom a form is declined for, next time. */
  declineNext = false;
  readonly #watchers = new Set<() => void>();

  notified(method: string, params: unknown): void {
    this.notifications.push({ method, params: (params ?? {}) as Json });
    for (const watcher of this.#watchers) watcher();
  }

  /** The client's answer to a question of a server. */
  answer(method: string, params: unknown): Json {
    this.questions.push({ method, params: (params ?? {}) as Json });
    for (const watcher of this.#watchers) watcher();
    if (method === "roots/list") return ROOTS_ANSWER;
    if (method === "sampling/createMessage") return SAMPLING_ANSWER;
    if (method !== "elicitation/create")
      throw new RpcFailure(-32601, "Method not found", undefined);
    if (this.declineNext) {
      this.declineNext = false;
      return { action: "decline" };
    }
    return (params as Json)["mode"] === "url" ? URL_ANSWER : FORM_ANSWER;
  }

  /** Waits until the condition gives something, woken by whatever arrives. */
  async until<T>(condition: () => T | undefined, what: string, timeout = 15_000): Promise<T> {
    const deadline = performance.now() + timeout;
    for (;;) {
      const value = condition();
      if (value !== undefined) return value;
      const left = deadline - performance.now();
      if (left <= 0) {
        const heard = this.notifications.slice(-5).map(({ method }) => method);
        throw new Error(
          `waited ${timeout} ms in vain for ${what}; heard last: ${heard.join(", ")}`,
        );
      }
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

  /** Waits for a notification that arrived after the mark. */
  next(method: string, mark: number, fits: (params: Json) => boolean = () => true): Promise<Json> {
    const found = (): Json | undefined =>
      this.notifications.slice(mark).find((item) => item.method === method && fits(item.params))
        ?.params;
    return this.until(found, method);
  }
}
