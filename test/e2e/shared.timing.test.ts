/**
 * What sharing costs and saves: the start of a client's process, a call through it, and the memory of 1, 10
 * and 30 clients. Nothing else may run at the same time.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { processesWith } from "../support/proc.ts";
import { RawClient } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { SharedPlace } from "../support/shared.ts";
import { initialize } from "../support/workbench.ts";

const cleanup = perTest();
const config = dev({ fx: fixture() }, { shared: { idleMs: 600_000 } });
const ROUNDS = 15;
const CALLS = 400;

const alone = (disposables: typeof cleanup): SharedPlace =>
  new SharedPlace(disposables, config, { env: { MCP_WORKBENCH_SHARED: "0" } });

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Milliseconds until a bare Node.js has started and ended. */
async function bareNode(): Promise<number> {
  const begin = performance.now();
  const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
  return performance.now() - begin;
}

/** Milliseconds until a client has the answer to `initialize`. */
async function start({ place }: SharedPlace): Promise<number> {
  const begin = performance.now();
  const child = spawn(place.command, [...place.args], { cwd: place.dir, env: place.env });
  const client = new RawClient(child);
  await initialize(client);
  const taken = performance.now() - begin;
  await client.close();
  return taken;
}

/** The memory of all processes of a place, in MB; what processes share is divided among them. */
function memoryOf({ place }: SharedPlace): number {
  const pids = processesWith("XDG_STATE_HOME", place.env["XDG_STATE_HOME"] ?? "")
    .concat(place.servers())
    .map(({ pid }) => pid);
  const kilobytes = [...new Set(pids)].map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  });
  return Math.round(kilobytes.reduce((sum, size) => sum + size, 0) / 1024);
}

describe("sharing a workbench", () => {
  it("does not delay the answer to initialize", async () => {
    const [shared, own] = [new SharedPlace(cleanup, config), alone(cleanup)];
    await start(shared);
    const times: Record<"node" | "shared" | "own", number[]> = { node: [], shared: [], own: [] };
    for (let i = 0; i < ROUNDS; i++) {
      times.node.push(await bareNode());
      times.own.push(await start(own));
      times.shared.push(await start(shared));
    }
    const best = (values: readonly number[]): number => Math.min(...values);
    const ratio = best(times.shared) / best(times.own);
    console.info(
      `start: bare node 1.00, without sharing ${(best(times.own) / best(times.node)).toFixed(2)}, shared ${(best(times.shared) / best(times.node)).toFixed(2)}`,
    );
    // Both run the same code until the answer; the rest is the noise of a process start.
    expect(ratio).toBeLessThan(1.25);
  });

  it("costs one more process per call", async () => {
    const [shared, own] = [new SharedPlace(cleanup, config), alone(cleanup)];
    const clients = [await shared.client(cleanup), await own.client(cleanup)] as const;
    const times: [number[], number[]] = [[], []];
    for (let i = 0; i < CALLS; i++)
      for (const [index, client] of clients.entries()) {
        const begin = performance.now();
        expect(textOf(await useTool(client, "dev/fx/echo", { text: "x" }))).toBe("x");
        times[index]?.push(performance.now() - begin);
      }
    const [through, direct] = times.map(median) as [number, number];
    console.info(`call: shared ${((through / direct) * 100).toFixed(0)} % of without sharing`);
    // Two more hops through a socket, of the same kind as the two to the workbench and the two to the server.
    expect(through / direct).toBeLessThan(2.5);
    await own.leave(clients[1]);
  });

  it.each([1, 10, 30])("needs less memory with several clients: %i", async (count) => {
    const used: number[] = [];
    for (const place of [new SharedPlace(cleanup, config), alone(cleanup)]) {
      const clients = await Promise.all(Array.from({ length: count }, () => place.client(cleanup)));
      for (const client of clients) await useTool(client, "dev/fx/echo", { text: "x" });
      used.push(memoryOf(place));
      await Promise.all(clients.map((client) => place.leave(client)));
    }
    const [shared = 0, separate = 0] = used;
    console.info(`memory of ${count} clients: shared ${shared} MB, separate ${separate} MB`);
    // One client pays for one process more; with ten, one server instead of ten makes up for it.
    expect(shared).toBeLessThan(count === 1 ? separate * 2 : separate * 0.75);
  });
});
