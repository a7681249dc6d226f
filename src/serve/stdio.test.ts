import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";

import { resolveConfig } from "../config/load.ts";
import { Workbench } from "../workbench/workbench.ts";
import { serveStdio } from "./stdio.ts";

const MEGABYTE = 1024 * 1024;
const PINGS = 24;

/** Accepts nothing until it is released. */
class Unread extends Writable {
  lines = 0;
  #isRead = false;
  #waiting: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    for (let at = -1; (at = chunk.indexOf(10, at + 1)) >= 0;) this.lines++;
    if (this.#isRead) done();
    else this.#waiting = done;
  }

  readOn(): void {
    this.#isRead = true;
    this.#waiting?.();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a client that does not read", () => {
  it("gets no more requests read until it reads again", async () => {
    const settings = await resolveConfig(
      { toolboxes: { a: { description: "d", mcpServers: {} } }, log: { level: "silent" } },
      { env: {}, cwd: "." },
    );
    const workbench = new Workbench(settings, { cache: false });
    const input = new PassThrough();
    const output = new Unread();
    void serveStdio(workbench, { scope: workbench.toolboxes }, input, output);
    for (let i = 0; i < PINGS; i++)
      input.write(`{"jsonrpc":"2.0","id":"${i}${"x".repeat(MEGABYTE)}","method":"ping"}\n`);
    while (!input.isPaused()) await turn();
    for (let i = 0; i < 100; i++) await turn();
    expect(output.lines).toBeGreaterThan(0);
    expect(output.writableLength).toBeLessThan(20 * MEGABYTE);
    output.readOn();
    while (output.lines < PINGS) await turn();
    await workbench.close();
  });
});
