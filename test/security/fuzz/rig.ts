/**
 * A workbench whose servers live in this process: messages to servers and clients take the usual
 * path, and are kept unchanged.
 */
import { PassThrough } from "node:stream";
import { resolveConfig } from "../../../src/config/load.ts";
import { serverView } from "../../../src/serve/client-view.ts";
import { serveStdio } from "../../../src/serve/stdio.ts";
import { isWorkWaiting } from "../../../src/servers/slices.ts";
import { Workbench } from "../../../src/workbench/workbench.ts";
import { Recorder, type RecordingServer, servers } from "./recording-server.ts";

const PIN = "only-this";

export const VIEWS = ["proxy", "dynamic", "filtered server", "whole server"] as const;
export type ViewName = (typeof VIEWS)[number];

/** A client of one of the views. */
export class FuzzedClient {
  readonly view: ViewName;
  readonly server: RecordingServer;
  readonly #input: PassThrough;
  readonly #output: Recorder;
  readonly #workbench: Workbench;
  #pings = 0;

  private constructor(
    view: ViewName,
    server: RecordingServer,
    pipes: { input: PassThrough; output: Recorder },
    workbench: Workbench,
  ) {
    this.view = view;
    this.server = server;
    this.#input = pipes.input;
    this.#output = pipes.output;
    this.#workbench = workbench;
  }

  static async start(view: ViewName): Promise<FuzzedClient> {
    const filtered = { toolFilters: ["safe"], overrides: { safe: { arguments: { repo: PIN } } } };
    const name = view === "whole server" ? "w" : "s";
    const settings = await resolveConfig(
      {
        toolMode: view === "dynamic" ? "dynamic" : "proxy",
        toolboxes: {
          a: {
            description: "d",
            mcpServers: {
              s: { command: "none", limits: { concurrency: 10_000 }, ...filtered },
              w: { command: "none", limits: { concurrency: 10_000 } },
            },
          },
        },
        // One call is never answered, and a time-out would answer it on a slow machine.
        timeouts: { callMs: 3_600_000, totalMs: 3_600_000 },
        log: { level: "silent" },
      },
      { env: {}, cwd: "." },
    );
    const workbench = new Workbench(settings, { cache: false });
    const server = workbench.toolboxes.get("a")?.servers.get(name);
    if (server === undefined) throw new Error("no such server");
    const scope = workbench.toolboxes;
    const input = new PassThrough();
    const output = new Recorder();
    void serveStdio(
      workbench,
      view.endsWith("server") ? serverView(workbench, scope, server) : { scope },
      input,
      output,
    );
    const tell = async (message: object): Promise<void> => {
      input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      if ("id" in message)
        while (!output.text.includes(`"id":"${String(message.id)}"`)) await turn();
    };
    const clientInfo = { name: "c", version: "1" };
    const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await tell({ id: "fuzz-1", method: "initialize", params: initialize });
    await tell({ method: "notifications/initialized" });
    const opening = { name: "open_toolbox", arguments: { toolbox: "a" } };
    if (!view.endsWith("server"))
      await tell({ id: "fuzz-2", method: "tools/call", params: opening });
    // The wording of refusals is loaded with the first one.
    const nothing = { name: "use_tool", arguments: {} };
    if (view === "proxy") await tell({ id: "fuzz-3", method: "tools/call", params: nothing });
    const recording = servers.get(name);
    if (recording === undefined) throw new Error("the server was not connected");
    const client = new FuzzedClient(view, recording, { input, output }, workbench);
    await client.settle();
    output.take();
    recording.toServer.take();
    return client;
  }

  /** The value that is fixed for the argument `repo` of this client's tools. */
  get pin(): string | undefined {
    return this.view === "whole server" ? undefined : PIN;
  }

  /**
   * Sends a line, waits for its effects (`until` if they can be recognised), and returns what the
   * server and the client received because of it.
   */
  async send(
    line: string,
    until: () => boolean = () => true,
  ): Promise<{ toServer: string; toClient: string }> {
    this.#input.write(`${line}\n`);
    for (let turns = 0; !until(); turns++) {
      if (turns === MAX_TURNS) throw new Error(`no effect of ${line}`);
      await turn();
    }
    await this.settle();
    return {
      toServer: this.server.toServer.take(),
      toClient: this.#output.take().replace(PONG, ""),
    };
  }

  /** Forgets what was written. */
  drain(): void {
    this.server.toServer.take();
    this.#output.take();
  }

  /** Waits until all messages have had their effects. */
  async settle(): Promise<void> {
    const id = `ping-${this.#pings++}`;
    this.#input.write(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}\n`);
    while (!this.#output.text.includes(id)) await turn();
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await turn();
      // On a busy machine, reading even a short list may be split into slices.
      if (this.server.pending > 0 || isWorkWaiting()) quiet = 0;
    }
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#workbench.close();
  }
}

const QUIET_TURNS = 2;
const MAX_TURNS = 100_000;
const PONG = /\{"jsonrpc":"2.0","id":"ping-\d+","result":\{\}\}\n/g;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
