/** Talks to a server through a channel alone, without the connection that is usually above it. */
import type { RemoteTransport, ServerSettings } from "../../src/config/types.ts";
import { Call } from "../../src/calls/call.ts";
import type { DeliveryFailure } from "../../src/calls/call-errors.ts";
import type { Channel, ChannelEvents } from "../../src/servers/transport/channel.ts";
import { RetryAfter } from "../../src/servers/transport/retry-after.ts";
import { openRemoteChannel } from "../../src/servers/transport/http/remote-channel.ts";
import type { Line } from "../../src/wire/lines.ts";
import { notificationText, requestText } from "../../src/wire/messages.ts";
import type { Message, Params } from "./clients/json-rpc.ts";
import type { Disposables } from "./disposables.ts";
import { Transcript } from "./transcript.ts";

export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The outcome of a request. */
export interface Outcome {
  readonly answer?: Message;
  readonly failure?: DeliveryFailure;
  readonly oversized?: number;
}

export interface Received {
  readonly message: Message;
  readonly text: string;
  /** The method of the call on whose stream it came. */
  readonly about: string | undefined;
}

export function remoteSettings(
  transport: RemoteTransport,
  timeouts: Partial<ServerSettings["timeouts"]> = {},
  limits: Partial<ServerSettings["limits"]> = {},
): ServerSettings {
  return {
    toolbox: "dev",
    name: "api",
    transport,
    secretTexts: [],
    toolFilters: ["*"],
    overrides: {},
    annotations: "ignore",
    timeouts: {
      connectMs: 60_000,
      callMs: 60_000,
      totalMs: 120_000,
      idleMs: 0,
      shutdownMs: 500,
      ...timeouts,
    },
    limits: {
      messageBytes: 1024 * 1024,
      concurrency: 64,
      queue: 256,
      tools: 10_000,
      pages: 100,
      ...limits,
    },
    protocol: "auto",
    isolation: "shared",
    questions: "duringCalls",
    inheritEnv: [],
    disabled: false,
    unavailable: undefined,
  };
}

export class ChannelClient implements ChannelEvents {
  readonly received: Received[] = [];
  readonly lostReasons: string[] = [];
  renewals = 0;
  oversizedMessages = 0;
  /** The input schemas of tools that are known. */
  readonly schemas = new Map<string, unknown>();
  readonly retryAfter = new RetryAfter();
  channel!: Channel;
  readonly #transcript: Transcript;
  readonly #waiting = new Map<Call, (outcome: Outcome) => void>();
  #nextId = 1;

  constructor(url: string) {
    this.#transcript = new Transcript(`channel to ${url}`);
  }

  /** Sends a request; `call` can be used to cancel it. */
  start(method: string, params: Params = {}): { call: Call; outcome: Promise<Outcome> } {
    const call = new Call(undefined as never, "workbench", method, "", undefined);
    call.id = this.#nextId++;
    const outcome = new Promise<Outcome>((resolve) => this.#waiting.set(call, resolve));
    this.#send(requestText(call.id, method, params), call);
    return { call, outcome };
  }

  request(method: string, params: Params = {}): Promise<Outcome> {
    return this.start(method, params).outcome;
  }

  callTool(name: string, args: Params = {}, meta?: Params): Promise<Outcome> {
    return this.request("tools/call", { name, arguments: args, ...(meta && { _meta: meta }) });
  }

  /** As on a connection: a late answer is dropped. */
  abandon(call: Call): boolean {
    this.#transcript.note(`request ${call.id} was abandoned`);
    this.#waiting.delete(call);
    return this.channel.abandon(call);
  }

  async initialize(): Promise<void> {
    const { answer, failure } = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" },
    });
    if (answer?.["result"] === undefined) throw new Error(JSON.stringify(answer ?? failure));
    this.channel.onNegotiated("legacy", "2025-11-25");
    this.#send(notificationText("notifications/initialized"));
  }

  async discover(): Promise<void> {
    const { answer, failure } = await this.request("server/discover", { _meta: MODERN_META });
    if (answer?.["result"] === undefined) throw new Error(JSON.stringify(answer ?? failure));
    this.channel.onNegotiated("modern", "2026-07-28");
  }

  close(): Promise<void> {
    this.#transcript.close();
    return this.channel.close();
  }

  onLine(line: Line, about?: Call): void {
    this.#transcript.received(line.text);
    const message = parsed(line.text);
    if (message === undefined) return;
    this.received.push({ message, text: line.text, about: about?.method });
    for (const call of this.#waiting.keys())
      if (call.id === message["id"] && message["method"] === undefined)
        this.#settle(call, { answer: message });
  }

  onUndeliverable(call: Call, failure: DeliveryFailure): void {
    this.#transcript.note(
      `request ${call.id} was not delivered (${failure.code}): ${failure.reason}`,
    );
    this.#settle(call, { failure });
  }

  onOversized(_head: Buffer, bytes: number, about?: Call): void {
    this.#transcript.note(`message of ${bytes} bytes was dropped`);
    this.oversizedMessages++;
    if (about !== undefined) this.#settle(about, { oversized: bytes });
  }

  onRenewed(): void {
    this.#transcript.note("session was renewed");
    this.renewals++;
  }

  /** As on a connection: calls without an answer end with it. */
  onLost(reason: string, code = "lost"): void {
    this.#transcript.note(`channel was lost (${code}): ${reason}`);
    this.lostReasons.push(reason);
    const failure = { reason, code, fix: undefined, mayHaveRun: true };
    for (const call of this.#waiting.keys()) this.#settle(call, { failure });
  }

  isAwaited(call: Call): boolean {
    return this.#waiting.has(call);
  }

  inputSchemaOf(tool: string): unknown {
    return this.schemas.get(tool);
  }

  #send(text: string, call?: Call): void {
    this.#transcript.sent(text);
    this.channel.send(text, call);
  }

  #settle(call: Call, outcome: Outcome): void {
    const settle = this.#waiting.get(call);
    this.#waiting.delete(call);
    settle?.(outcome);
  }
}

export async function openClient(
  disposables: Disposables,
  url: string,
  options: Partial<RemoteTransport> & {
    readonly timeouts?: Partial<ServerSettings["timeouts"]>;
    readonly limits?: Partial<ServerSettings["limits"]>;
  } = {},
): Promise<ChannelClient> {
  const { timeouts, limits, kind = "http", headers = {} } = options;
  const transport: RemoteTransport = { kind, url, headers };
  const client = new ChannelClient(url);
  client.channel = await openRemoteChannel(
    remoteSettings(transport, timeouts, limits),
    transport,
    client,
  );
  disposables.defer(() => client.close());
  return client;
}

/** Like the connection, it treats text that is not JSON as noise. */
function parsed(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return undefined;
  }
}
