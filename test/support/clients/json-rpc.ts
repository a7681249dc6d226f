/** JSON-RPC messages as tests see them, in either direction and over any transport. */

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
/** The prefix of the protocol's own members of `_meta`. */
export const META = "io.modelcontextprotocol/";

/** How long tests wait for an event: long enough for a machine whose cores are all busy. */
export const GENEROUS_MS = 60_000;

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A message of any kind, as loosely as tests need it. */
export interface Message {
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params & { readonly content?: readonly { readonly text: string }[] };
  readonly error?: RpcError;
}

/** Something that arrived: the exact text, and its position among everything that arrived. */
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

/** An error response: one that arrived, or one to be sent. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** One JSON-RPC message, or undefined when the text is anything else. */
export function parseMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const message = value as Message & { jsonrpc?: unknown };
  if (message.jsonrpc !== "2.0") return undefined;
  const isAnswer = "id" in message && "result" in message !== "error" in message;
  return typeof message.method === "string" || isAnswer ? message : undefined;
}

/** The name that a modern client repeats in a header of its request. */
export function nameIn(params: Params = {}): string | undefined {
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  return typeof name === "string" ? name : undefined;
}
