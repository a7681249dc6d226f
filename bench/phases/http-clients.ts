import { within } from "../harness/deadline.ts";
import type { HttpClient } from "../harness/http-client.ts";
import { type Measure, Rows } from "../harness/measure.ts";
import { cpuMs, memoryMB } from "../harness/proc.ts";
import { type Effort, interleave, share } from "../harness/rounds.ts";
import { median } from "../harness/statistics.ts";
import { type Listening, httpClient, httpWorkbench, listening } from "../harness/subjects.ts";
import { callsPerSecond } from "../harness/workloads.ts";
import type { Workspace } from "../harness/workspace.ts";

/** At least one by each client, and as many as the engine needs to compile what they use. */
const WARM_UP_CALLS = 20_000;
const CALLS = 1_000;
const IN_FLIGHT = 32;
const CALL_MS = 20_000;
const GREETED_AT_ONCE = 20;

export const CLIENTS = [1, 10, 100, 1_000];

/**
 * More and more clients of one workbench, each with its own session and connection, that call in
 * turn. Each number of clients has its own workbench, so that all are measured side by side.
 */
export async function measureClients(
  workspace: Workspace,
  effort: Effort,
  sizes: readonly number[],
): Promise<Measure[]> {
  const crowds: Crowd[] = [];
  try {
    for (const size of sizes) crowds.push(await Crowd.gather(workspace, size));
    const time = new Rows();
    const rate = new Rows();
    const cpu = new Rows();
    const memory = new Rows();
    for (const crowd of crowds)
      await callsPerSecond((n) => crowd.call(n), WARM_UP_CALLS, IN_FLIGHT);

    await interleave(effort.rounds, crowds, async (crowd) => {
      const times: number[] = [];
      for (let n = 0; n < share(CALLS / 4, effort); n++) {
        const start = performance.now();
        await crowd.call(n);
        times.push((performance.now() - start) * 1_000);
      }
      time.add(String(crowd.size), median(times));
    });
    await interleave(effort.rounds, crowds, async (crowd) => {
      const calls = share(CALLS, effort);
      const before = cpuMs(crowd.pid);
      // One client has one connection, so it has one call in flight at a time.
      rate.add(String(crowd.size), await callsPerSecond((n) => crowd.call(n), calls, IN_FLIGHT));
      const after = cpuMs(crowd.pid);
      if (before !== undefined && after !== undefined)
        cpu.add(String(crowd.size), ((after - before) * 1_000) / calls);
    });
    for (const crowd of crowds) {
      const now = memoryMB(crowd.pid);
      if (now !== undefined) memory.add(String(crowd.size), now);
    }
    return [
      time.measure("clients/echo", "us"),
      rate.measure(`clients/in-flight-${IN_FLIGHT}`, "calls/s"),
      cpu.measure("clients/cpu", "us"),
      memory.measure("clients/memory", "MB"),
    ];
  } finally {
    await Promise.all(crowds.map((crowd) => crowd.leave()));
  }
}

class Crowd {
  readonly #server: Listening;
  readonly #clients: readonly HttpClient[];

  private constructor(server: Listening, clients: readonly HttpClient[]) {
    this.#server = server;
    this.#clients = clients;
  }

  static async gather(workspace: Workspace, size: number): Promise<Crowd> {
    const server = await listening(httpWorkbench(workspace, {}));
    const clients: HttpClient[] = [];
    try {
      while (clients.length < size) {
        const more = Math.min(GREETED_AT_ONCE, size - clients.length);
        const greeted = Array.from({ length: more }, () => httpClient(server, "/mcp", 1));
        clients.push(...(await Promise.all(greeted)));
      }
    } catch (error) {
      await server.running.end();
      throw error;
    }
    return new Crowd(server, clients);
  }

  get size(): number {
    return this.#clients.length;
  }

  get pid(): number {
    return this.#server.running.pid;
  }

  /** A call by the next client in turn. */
  async call(n: number): Promise<void> {
    const client = this.#clients[n % this.size] as HttpClient;
    const text = `hello ${n}`;
    const asked = client.request("tools/call", {
      name: "use_tool",
      arguments: { tool: { toolbox: "main", server: "s0", name: "echo" }, arguments: { text } },
    });
    const { head } = await within(CALL_MS, "call", asked);
    if (!head.includes(text)) throw new Error(`wrong answer: ${head}`);
  }

  async leave(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.#server.running.end();
  }
}
