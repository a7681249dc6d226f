/** What the adapters of both generations of the official client SDK have in common. */
import type { Readable } from "node:stream";
import { Transcript } from "../transcript.ts";
import type { Message } from "./json-rpc.ts";
import type { CallOptions, Endpoint, Inbox, Json } from "./matrix-client.ts";

export interface SdkOptions {
  readonly onprogress?: (progress: object) => void;
  readonly signal?: AbortSignal;
}

/** The requests for which both SDKs have a method. */
const METHODS = {
  "tools/list": "listTools",
  "prompts/list": "listPrompts",
  "prompts/get": "getPrompt",
  "resources/list": "listResources",
  "resources/templates/list": "listResourceTemplates",
  "resources/read": "readResource",
  "resources/subscribe": "subscribeResource",
  "resources/unsubscribe": "unsubscribeResource",
  "completion/complete": "complete",
} as const;

type MethodName = (typeof METHODS)[keyof typeof METHODS];

/** The clients of both SDKs, as far as they are alike. */
export type SdkClient = Record<
  MethodName,
  (params: never, options: SdkOptions) => Promise<unknown>
> & {
  setLoggingLevel(level: never, options: SdkOptions): Promise<unknown>;
  ping(options: SdkOptions): Promise<unknown>;
};

/** What they do differently. */
export interface SdkCalls {
  /** Keeps the SDK from answering out of its cache. */
  readonly fresh?: object;
  callTool(params: never, options: SdkOptions): Promise<unknown>;
  /** A request as it is, whatever its method. */
  request(method: string, params: never, options: SdkOptions): Promise<unknown>;
}

/** Sends a request with the method that the SDK has for it. */
export function sendWith(
  client: SdkClient,
  calls: SdkCalls,
  method: string,
  params: Json,
  { onProgress, signal }: CallOptions = {},
): Promise<unknown> {
  const options: SdkOptions = {
    ...(onProgress && { onprogress: (progress) => onProgress(progress as Json) }),
    ...(signal && { signal }),
  };
  const given = params as never;
  if (method === "ping") return client.ping(options);
  if (method === "logging/setLevel")
    return client.setLoggingLevel(params["level"] as never, options);
  if (method === "tools/call" && params["task"] === undefined)
    return calls.callTool(given, options);
  if (Object.hasOwn(METHODS, method))
    return client[METHODS[method as keyof typeof METHODS]](given, { ...options, ...calls.fresh });
  return calls.request(method, given, options);
}

/** The transports of both SDKs, as far as they are alike. */
interface SdkTransport {
  send(message: never, options?: never): Promise<void>;
  readonly stderr?: unknown;
}

/** Records every message, and keeps what the tests of all features look at. */
export function recordTransport(
  transport: SdkTransport,
  endpoint: Endpoint,
  inbox: Inbox,
): Transcript {
  const onMessage = ({ method, params = {} }: Message): void => {
    if (method === "notifications/progress") inbox.progress.push(params);
  };
  if (endpoint.transport === "stdio") return recordMessages(transport, { onMessage });
  const { url, log } = endpoint;
  return recordMessages(transport, { title: `client of ${url}`, onMessage, ...(log && { log }) });
}

export interface RecordOptions {
  readonly title?: string;
  /** What the program has logged so far, unless the transport has its standard error. */
  readonly log?: () => string;
  /** Called with every message that arrives, before the SDK gets it. */
  readonly onMessage?: (message: Message) => void;
}

/** Records every message; the SDKs keep the handlers that a transport has before they connect. */
export function recordMessages(
  transport: SdkTransport,
  { title = "client with an SDK", log, onMessage }: RecordOptions = {},
): Transcript {
  const transcript = new Transcript(title, stderrOf(transport) ?? log);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    transcript.sent(JSON.stringify(message));
    return send(message, options);
  };
  const onmessage = (message: Message): void => {
    transcript.received(JSON.stringify(message));
    onMessage?.(message);
  };
  Object.assign(transport, { onmessage, onclose: () => transcript.close() });
  return transcript;
}

/** The same, for a transport that is passed on at once. */
export function recorded<T extends SdkTransport>(transport: T, options?: RecordOptions): T {
  recordMessages(transport, options);
  return transport;
}

function stderrOf({ stderr }: SdkTransport): (() => string) | undefined {
  if (stderr === undefined || stderr === null) return undefined;
  let text = "";
  (stderr as Readable).setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return () => text;
}
