/**
 * Slow clients: back-pressure affects only the client that causes it. In the full suite because
 * its answers of many megabytes take a lot of processor time.
 */
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { serveStdio } from "../../src/serve/stdio.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { LineReader } from "../support/clients/line-reader.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, type ServerEntry } from "../support/servers.ts";
import { chaos } from "../torture/chaos.ts";

const MB = 1024 * 1024;
const cleanup = perTest();

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client in the same process, which receives data only while it reads. */
class StreamClient {
  readonly input = new PassThrough();
  readonly answers: Answer[] = [];
  mostUnread = 0;
  isReading = true;
  readonly served: Promise<string>;
  readonly output: Writable;
  #taken: (() => void) | undefined;
  #lastId = 0;

  constructor(workbench: Workbench) {
    const lines = new LineReader((line) => {
      const message = JSON.parse(line) as Answer & { method?: string };
      if (message.method === undefined) this.answers.push(message);
    });
    this.output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.mostUnread = Math.max(this.mostUnread, this.output.writableLength);
        lines.push(chunk);
        if (this.isReading) setImmediate(done);
        else this.#taken = done;
      },
    });
    const view = { scope: workbench.toolboxes };
    this.served = serveStdio(workbench, view, this.input, this.output).ended;
    const clientInfo = { name: "stream-client", version: "1.0.0" };
    this.send("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  }

  get unread(): number {
    return this.output.writableLength;
  }

  read(): void {
    this.isReading = true;
    this.#taken?.();
  }

  send(method: string, params: object): number {
    const id = ++this.#lastId;
    this.input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return id;
  }

  /** Calls the one tool of a server. */
  call(server: string): number {
    const tool = { toolbox: "dev", server, name: "fault" };
    return this.send("tools/call", { name: "use_tool", arguments: { tool } });
  }

  async answer(id: number): Promise<Answer> {
    const find = (): Answer | undefined => this.answers.find((answer) => answer.id === id);
    await waitFor(() => find() !== undefined, GENEROUS_MS, `an answer to request ${id}`);
    return find() as Answer;
  }
}

async function start(servers: Readonly<Record<string, ServerEntry>>): Promise<Workbench> {
  const settings = await parseConfig(JSON.stringify(dev(servers)));
  const workbench = new Workbench(settings, { cache: false });
  cleanup.defer(() => workbench.close());
  return workbench;
}

describe("a client that does not read its answers", () => {
  it("does not keep another client of the same servers from getting its answers", async () => {
    const workbench = await start({ large: chaos("--big", "1m") });
    const [slow, other] = [new StreamClient(workbench), new StreamClient(workbench)];
    await slow.answer(1);
    slow.isReading = false;
    for (let i = 0; i < 20; i++) slow.call("large");
    await waitFor(() => slow.unread >= 16 * MB, GENEROUS_MS, "16 MB to be unread");
    for (let i = 0; i < 3; i++)
      expect(await other.answer(other.call("large"))).toHaveProperty("result");
  });

  it("has its next requests wait until it reads again, and loses none", async () => {
    const workbench = await start({ large: chaos("--big", "1m") });
    const [slow] = [new StreamClient(workbench), new StreamClient(workbench)];
    await slow.answer(1);
    slow.isReading = false;
    const ids = Array.from({ length: 20 }, () => slow.call("large"));
    await waitFor(() => slow.unread >= 20 * MB, GENEROUS_MS, "20 MB to be unread");
    const server = workbench.toolboxes.get("dev")?.servers.get("large");
    for (let i = 0; i < 5; i++) ids.push(slow.call("large"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(server?.connections.isBusy(true)).toBe(false);
    slow.read();
    for (const id of ids) expect(await slow.answer(id)).toHaveProperty("result");
    expect(slow.answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([1, ...ids]);
  });

  it("gets all answers if it is the only client: its servers wait for it", async () => {
    const workbench = await start({ large: chaos("--big", "1m") });
    const slow = new StreamClient(workbench);
    await slow.answer(1);
    slow.isReading = false;
    const ids = Array.from({ length: 60 }, () => slow.call("large"));
    await waitFor(() => slow.unread >= 16 * MB, GENEROUS_MS, "16 MB to be unread");
    slow.read();
    for (const id of ids) expect(await slow.answer(id)).toHaveProperty("result");
    expect(slow.mostUnread).toBeLessThan(32 * MB);
  });

  it("takes a bounded amount of memory, and still gets one answer to each request", async () => {
    const workbench = await start({ large: chaos("--big", "1m") });
    const [slow] = [new StreamClient(workbench), new StreamClient(workbench)];
    await slow.answer(1);
    slow.isReading = false;
    const ids = Array.from({ length: 60 }, () => slow.call("large"));
    const server = workbench.toolboxes.get("dev")?.servers.get("large");
    await waitFor(() => slow.unread >= 32 * MB, GENEROUS_MS, "32 MB to be unread");
    await waitFor(
      () => server?.connections.isBusy(true) === false,
      GENEROUS_MS,
      "all calls to end",
    );
    expect(slow.unread).toBeLessThan(34 * MB);
    slow.read();
    const answers = await Promise.all(ids.map((id) => slow.answer(id)));
    const dropped = answers.filter(({ error }) => error?.message.includes("was dropped"));
    const answered = answers.filter(({ result }) => result !== undefined);
    expect(answered.length).toBeGreaterThanOrEqual(31);
    expect(answered.length + dropped.length).toBe(60);
    expect(slow.answers).toHaveLength(61);
  });

  it("is still served to the end when it closes its input", async () => {
    const workbench = await start({ large: chaos("--big", "1m") });
    const slow = new StreamClient(workbench);
    await slow.answer(1);
    slow.isReading = false;
    for (let i = 0; i < 20; i++) slow.call("large");
    await waitFor(() => slow.unread >= 16 * MB, GENEROUS_MS, "16 MB to be unread");
    const last = slow.call("large");
    slow.input.end();
    expect(await slow.served).toBe("endOfInput");
    slow.read();
    expect(await slow.answer(last)).toHaveProperty("result");
  });
});
