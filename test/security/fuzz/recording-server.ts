/** A server in this process, which keeps everything it receives unchanged. */
import { Writable } from "node:stream";
import type { ServerSettings } from "../../../src/config/types.ts";
import type { Channel, ChannelEvents } from "../../../src/servers/transport/channel.ts";
import { Line, Outbox } from "../../../src/wire/lines.ts";

const TOOLS = ["safe", "delete_all"].map((name) => ({
  name,
  inputSchema: { type: "object", properties: { repo: { type: "string" } } },
}));

export type Answer = (id: number, method: string) => string | undefined;

/** Keeps what is written, whole writes at a time. */
export class Recorder extends Writable {
  text = "";
  writes = 0;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.writes++;
    this.text += chunk.toString("utf8");
    done();
  }

  take(): string {
    const { text } = this;
    this.text = "";
    return text;
  }
}

/** A server that answers every request at once, as configured. */
export class RecordingServer implements Channel {
  readonly pid = undefined;
  readonly backlog = 0;
  readonly refusesUnknown = false;
  readonly toServer = new Recorder();
  /** Sets an answer that replaces the usual one. */
  answer: Answer = () => undefined;
  /** The number of answers it still has to send. */
  pending = 0;
  readonly #out = new Outbox(this.toServer);
  readonly #events: ChannelEvents;

  constructor(events: ChannelEvents) {
    this.#events = events;
  }

  send(message: string): void {
    this.#out.line(message);
    const { id, method } = JSON.parse(message) as { id?: number; method?: string };
    if (id === undefined || method === undefined) return;
    const answer = this.answer(id, method) ?? usual(id, method);
    if (answer === "") return;
    this.pending++;
    setImmediate(() => {
      this.pending--;
      this.say(answer);
    });
  }

  say(line: string): void {
    this.#events.onLine(Line.of(line));
  }

  abandon(): boolean {
    return false;
  }

  onNegotiated(): void {}

  reasonUnusable(): undefined {}

  stderrTail(): string[] {
    return [];
  }

  async close(): Promise<void> {}
}

function usual(id: number, method: string): string {
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
  const serverInfo = { name: "r", version: "1" };
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo },
    "tools/list": { tools: TOOLS },
    "tools/call": { content: [{ type: "text", text: "RAN" }] },
  };
  const result = results[method] ?? {};
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

/** The servers that were opened, by name. */
export const servers = new Map<string, RecordingServer>();

/** Replaces `openChannel`. */
export async function openRecording(
  { name }: ServerSettings,
  _guard: unknown,
  events: ChannelEvents,
): Promise<Channel> {
  const server = new RecordingServer(events);
  servers.set(name, server);
  return server;
}
