import { once } from "node:events";
import { rmSync } from "node:fs";
import { type Server, type Socket, connect, createServer } from "node:net";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { waitFor } from "../../../test/support/proc.ts";
import { GENEROUS_MS } from "../../../test/support/clients/json-rpc.ts";
import { ClientState } from "./client-state.ts";
import { Shim } from "./shim.ts";

let folder: string;
let server: Server;
/** The ends of the shared process, in the order of the connections. */
let accepted: Socket[];

beforeEach(async () => {
  folder = newFolder("shim");
  accepted = [];
  server = createServer({ allowHalfOpen: true }, (socket) => {
    // A client that has left without reading everything resets the connection.
    socket.on("error", () => {});
    accepted.push(socket);
  });
  server.listen(join(folder, "s"));
  await once(server, "listening");
});

afterEach(() => {
  for (const socket of accepted) socket.destroy();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: GENEROUS_MS });
const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

class Scene {
  readonly input = new PassThrough();
  readonly sockets: Socket[] = [];
  readonly onEnd = vi.fn();
  readonly shim: Shim;
  /** The processes that it wanted to connect to. */
  readonly successors: (string | undefined)[] = [];
  readonly #received: string[] = [];

  constructor(output: Writable = new PassThrough()) {
    if (output instanceof PassThrough)
      output.on("data", (chunk: Buffer) => this.#received.push(String(chunk)));
    this.shim = new Shim({
      input: this.input,
      output,
      state: new ClientState(undefined, false),
      connect: async (_epoch, successor) => {
        this.successors.push(successor);
        const socket = connect({ path: join(folder, "s"), allowHalfOpen: true });
        await once(socket, "connect");
        // As the real one does: the shim reacts when the connection is closed.
        socket.on("error", () => {});
        this.sockets.push(socket);
        return socket;
      },
      serveAlone: () => undefined,
      onEnd: this.onEnd,
    });
  }

  /** What the client got. */
  received(): string {
    return this.#received.join("");
  }

  /** The end of the shared process of the next connection. */
  async accepted(): Promise<Socket> {
    const count = this.sockets.length;
    const isConnected = (): boolean =>
      accepted.length > count && this.sockets.length === accepted.length;
    await waitFor(isConnected, GENEROUS_MS, "a connection");
    return accepted.at(-1) as Socket;
  }
}

describe("a client's process in front of the shared one", () => {
  it("waits for a process that does not read, as often as necessary", async () => {
    const scene = new Scene();
    scene.shim.start();
    const process = await scene.accepted();
    const [socket] = scene.sockets;
    const before = socket?.listenerCount("close");
    for (let i = 0; i < 3; i++) {
      process.pause();
      scene.input.write(line({ method: "notifications/x", params: { text: "x".repeat(2 << 20) } }));
      await soon(() => expect(scene.input.isPaused()).toBe(true));
      process.resume();
      await soon(() => expect(scene.input.isPaused()).toBe(false));
    }
    expect(socket?.listenerCount("close")).toBe(before);
  });

  it("ends when its last output is written, however little that is", async () => {
    const writes: (() => void)[] = [];
    const output = new Writable({ write: (_chunk, _encoding, done) => void writes.push(done) });
    const scene = new Scene(output);
    scene.shim.start();
    const process = await scene.accepted();
    process.resume();
    scene.input.end(line({ id: 1, method: "ping" }));
    await once(process, "end");
    process.end(`1\t${line({ id: 1, result: {} })}`);
    await soon(() => expect(scene.sockets[0]?.closed).toBe(true));
    expect([output.writableLength > 0, scene.onEnd.mock.calls]).toEqual([true, []]);
    await soon(() => {
      writes.shift()?.();
      expect(scene.onEnd).toHaveBeenCalled();
    });
  });

  it("changes to a newer process when it is offered while nothing is in progress", async () => {
    const scene = new Scene();
    scene.shim.start();
    const process = await scene.accepted();
    const received: string[] = [];
    process.on("data", (chunk: Buffer) => received.push(String(chunk)));
    const offer = '!{"event":"drain","to":"newer"}\n';
    scene.input.write(line({ id: 1, method: "tools/list" }));
    await soon(() => expect(received.join("")).toContain("tools/list"));
    // An offer that crosses a request is ignored, also after the answer.
    process.write(offer);
    process.write(`1\t${line({ id: 1, result: {} })}`);
    process.write(`?"q"\t${line({ id: "q", method: "elicitation/create" })}${offer}`);
    await soon(() => expect(scene.received()).toContain("elicitation/create"));
    expect(scene.sockets).toHaveLength(1);
    scene.input.write(line({ id: "q", result: {} }));
    await soon(() => expect(received.join("")).toContain('"q"'));
    process.write(offer);
    await scene.accepted();
    expect(scene.successors).toEqual([undefined, "newer"]);
  });

  it("passes on the last notifications of a process that it has left", async () => {
    const scene = new Scene();
    scene.shim.start();
    const process = await scene.accepted();
    process.resume();
    process.write('!{"event":"drain","to":"newer"}\n');
    await once(process, "end");
    process.write(`-\t${line({ method: "notifications/last" })}`);
    process.end(`7\t${line({ id: 7, result: {} })}`);
    await soon(() => expect(scene.received()).toContain("notifications/last"));
    await soon(() => expect(scene.sockets[0]?.closed).toBe(true));
    expect(scene.received()).not.toContain('"id":7');
  });
});
