/** The clients of the fidelity matrix, all driven through one interface. */
import type { Transcript } from "../transcript.ts";
import type { HttpPlace } from "./http-conversation.ts";
import { GENEROUS_MS, type Params as Json, RpcFailure } from "./json-rpc.ts";
import { type Found, Watchers } from "./watchers.ts";

export type { Params as Json } from "./json-rpc.ts";
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
  | ({ readonly transport: "http" } & HttpPlace);

/** A notification that arrived, or a request of the server. */
export interface Incoming {
  readonly method: string;
  readonly params: Json;
}

export interface CallOptions {
  readonly onProgress?: (params: Json) => void;
  readonly signal?: AbortSignal;
}

/** How the other side describes itself. */
export interface Hello {
  readonly serverInfo: Json | undefined;
  readonly capabilities: Json;
  readonly instructions: string | undefined;
}

/** What a client subscribes to. */
export interface Interest {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

export interface FidelityClient {
  readonly kind: ClientKind;
  readonly era: Era;
  readonly inbox: Inbox;
  readonly hello: Hello;
  /** The messages this client exchanged, and the log of the program. */
  readonly transcript: Transcript;
  /** Sends a request, with the method an SDK has for it; throws `RpcFailure` for an error. */
  request(method: string, params?: Json, options?: CallOptions): Promise<Json>;
  notify(method: string, params: Json): Promise<void>;
  /** Subscribes to changes, as in the client's era; returns a function that ends it. */
  watch(interest: Interest): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** How every client of the matrix describes itself. */
export const CAPABILITIES = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
  experimental: { "fidelity/experiment": { level: 3 } },
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
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

/** Messages to a client that are not answers. */
export class Inbox {
  readonly notifications: Incoming[] = [];
  readonly questions: Incoming[] = [];
  /**
   * Progress as it was on the wire; the SDKs drop progress that arrives together with the result.
   */
  readonly progress: Json[] = [];
  /** Whether the next form is declined. */
  declineNext = false;
  readonly #watchers = new Watchers();

  notified(method: string, params: unknown): void {
    this.notifications.push({ method, params: (params ?? {}) as Json });
    this.#watchers.wake();
  }

  /** The client's answer to a request of a server. */
  answer(method: string, params: unknown): Json {
    this.questions.push({ method, params: (params ?? {}) as Json });
    this.#watchers.wake();
    if (method === "roots/list") return ROOTS_ANSWER;
    if (method === "sampling/createMessage") return SAMPLING_ANSWER;
    if (method !== "elicitation/create") throw new RpcFailure(-32601, "Method not found");
    if (this.declineNext) {
      this.declineNext = false;
      return { action: "decline" };
    }
    return (params as Json)["mode"] === "url" ? URL_ANSWER : FORM_ANSWER;
  }

  /** Waits until the condition returns something; checked whenever something arrives. */
  until<T>(condition: () => T | undefined, what: string): Promise<Found<T>> {
    return this.#watchers.until(condition, GENEROUS_MS, (isLate) => {
      if (!isLate) return undefined;
      const last = this.notifications.slice(-5).map(({ method }) => method);
      return new Error(
        `waited ${GENEROUS_MS} ms in vain for ${what}; last notifications: ${last.join(", ")}`,
      );
    });
  }

  /** Waits for a notification that arrived after the mark. */
  next(method: string, mark: number, fits: (params: Json) => boolean = () => true): Promise<Json> {
    const found = (): Json | undefined =>
      this.notifications.slice(mark).find((item) => item.method === method && fits(item.params))
        ?.params;
    return this.until(found, method);
  }
}
