/**
 * What sharing costs: the start of a client's process, and a call through it. Nothing else may run at the same time.
 * What it saves is in shared-memory.full.test.ts.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { cpuMsOf } from "../support/proc.ts";
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

/** What a process has needed until its first output. */
interface Start {
  readonly wallMs: number;
  /** Time on a processor, user and system, of all threads: other processes hardly change it. */
  readonly cpuMs: number;
}

/** Starts a process, measures it when it is ready, and ends it. */
async function measured(
  begin: () => ChildProcessWithoutNullStreams,
  ready: (child: ChildProcessWithoutNullStreams) => Promise<() => Promise<unknown>>,
): Promise<Start> {
  const began = performance.now();
  const child = begin();
  const end = await ready(child);
  const taken = { wallMs: performance.now() - began, cpuMs: cpuMsOf(child.pid ?? 0) };
  await end();
  return taken;
}

/**
 * A bare Node.js that answers its first input, as a client's process does. It has the same environment and
 * folder: variables that the tests were started with can cost more than the rest of its start.
 */
const bareNode = ({ place }: SharedPlace, script: string): Promise<Start> =>
  measured(
    () => spawn(place.command, [script], { cwd: place.dir, env: place.env }),
    async (child) => {
      const ended = once(child, "exit");
      child.stdin.write("{}\n");
      await once(child.stdout, "data");
      return () => {
        child.stdin.end();
        return ended;
      };
    },
  );

/** The process that a client starts, until the answer to `initialize`. */
const start = ({ place }: SharedPlace): Promise<Start> =>
  measured(
    () => spawn(place.command, [...place.args], { cwd: place.dir, env: place.env }),
    async (child) => {
      const client = new RawClient(child);
      await initialize(client);
      return () => client.close();
    },
  );

describe("sharing a workbench", () => {
  it("does not delay the answer to initialize", async () => {
    const [shared, own] = [new SharedPlace(cleanup, config), alone(cleanup)];
    await start(shared);
    const script = join(own.place.dir, "bare.cjs");
    writeFileSync(script, 'process.stdin.on("data", (data) => process.stdout.write(data));');
    const kinds = [() => bareNode(own, script), () => start(own), () => start(shared)];
    const starts: Start[][] = kinds.map(() => []);
    for (let i = 0; i < ROUNDS * kinds.length; i++) {
      // Each kind is first, second and third equally often.
      const kind = (i + Math.floor(i / kinds.length)) % kinds.length;
      const taken = await kinds[kind]?.();
      if (taken !== undefined) starts[kind]?.push(taken);
    }
    const ratios = (["wallMs", "cpuMs"] as const).map((clock) => {
      const best = starts.map((each) => Math.min(...each.map((taken) => taken[clock])));
      const [node = 0, single = 0, together = 0] = best;
      console.info(
        `start (${clock}): bare node 1.00, without sharing ${(single / node).toFixed(2)}, shared ${(together / node).toFixed(2)}`,
      );
      return together / single;
    });
    // Both run the same code until the answer; the rest is the noise of a process start: 1.01 to 1.11 on a busy machine.
    expect(ratios[1]).toBeLessThan(1.25);
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
    // Two more hops through a socket, of the same kind as the two to the workbench and the two to the server: at most
    // twice the time, and some noise. Measured on a busy machine with two cores: 1.3 to 1.5.
    expect(through / direct).toBeLessThan(2.5);
    await own.leave(clients[1]);
  });
});
