/**
 * What metrics and traces cost per call, as ratios to a workbench without them. The kinds take turns, call by
 * call, so that a busy machine changes all of them alike. Nothing else may run at the same time.
 */
import { describe, expect, it } from "vitest";
import { textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { startCollector } from "../support/otlp-collector.ts";
import { cpuMsOf } from "../support/proc.ts";
import type { RawClient } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { type StartOptions, startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const WARM_UP = 300;
const CALLS = 1500;
const KINDS = ["off", "metrics", "traces", "metrics and traces"] as const;
type Kind = (typeof KINDS)[number];

/**
 * Five runs on an idle machine: 1.03 to 1.24 with metrics, 1.07 to 1.45 with traces. Processor time is counted in
 * steps of ten milliseconds and includes the exports, so the limits add twice what was measured.
 */
const MAX_RATIO: Readonly<Record<Kind, number>> = {
  off: 1,
  metrics: 1.5,
  traces: 1.9,
  "metrics and traces": 1.9,
};

interface Measured {
  readonly client: RawClient;
  readonly pid: number;
  wallMs: number[];
  /** Before its calls. */
  cpuMs: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe("the cost of a call", () => {
  it("with metrics and with traces is close to that without them", async () => {
    const collector = await startCollector(cleanup);
    const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` };
    const optionsOf = async (kind: Kind): Promise<StartOptions> => ({
      ...(kind.includes("metrics") && {
        args: ["serve", "--metrics", `127.0.0.1:${await freePort()}`],
      }),
      ...(kind.includes("traces") && { env: traces }),
    });
    const started: Measured[] = [];
    for (const kind of KINDS) {
      const options = await optionsOf(kind);
      const { client, pid } = await startWorkbench(cleanup, dev({ fx: fixture() }), options);
      started.push({ client, pid, wallMs: [], cpuMs: 0 });
    }
    const call = async (one: Measured): Promise<void> => {
      const begin = performance.now();
      const answer = await useTool(one.client, "dev/fx/echo", { text: "x" });
      one.wallMs.push(performance.now() - begin);
      expect(textOf(answer)).toBe("x");
    };
    const round = async (calls: number): Promise<void> => {
      for (let i = 0; i < calls; i++)
        // Each kind is first, second and so on equally often.
        for (const index of started.keys()) {
          const one = started[(index + i) % started.length];
          if (one !== undefined) await call(one);
        }
    };
    await round(WARM_UP);
    for (const one of started) {
      one.wallMs = [];
      one.cpuMs = cpuMsOf(one.pid);
    }
    await round(CALLS);
    const costs = started.map(({ pid, wallMs, cpuMs }) => ({
      wall: median(wallMs),
      cpu: (cpuMsOf(pid) - cpuMs) / CALLS,
    }));
    const [off] = costs;
    if (off === undefined) throw new Error("nothing was measured");
    const ratios = costs.map(({ wall, cpu }) => ({ wall: wall / off.wall, cpu: cpu / off.cpu }));
    for (const [index, { wall, cpu }] of ratios.entries())
      console.info(
        `call with ${KINDS[index]}: time ${wall.toFixed(2)}, processor time ${cpu.toFixed(2)} of a call with neither` +
          ` (${((costs[index]?.cpu ?? 0) * 1000).toFixed(0)} µs)`,
      );
    expect(collector.exports.length).toBeGreaterThan(0);
    for (const [index, { wall, cpu }] of ratios.entries()) {
      const limit = MAX_RATIO[KINDS[index] ?? "off"];
      expect(wall, `${KINDS[index]}: time`).toBeLessThanOrEqual(limit);
      expect(cpu, `${KINDS[index]}: processor time`).toBeLessThanOrEqual(limit);
    }
  });
});
