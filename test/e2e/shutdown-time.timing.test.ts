/** How long a shutdown takes. A measurement: it needs an otherwise idle machine. */
import { describe, expect, it } from "vitest";
import { openToolbox, useTool } from "../support/calls.ts";
import { disposablesOf } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { ENDINGS, startEveryKind } from "../support/stubborn-servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";
import { STUBBORN } from "../torture/chaos.ts";

const ROUNDS = 3;
const PROMISED_MS = 5000;

/** Milliseconds until neither the workbench nor any process of a server is left. */
async function measure(workbench: RunningWorkbench, end: () => void): Promise<number> {
  const begin = performance.now();
  end();
  await workbench.client.ended();
  await waitFor(() => workbench.servers().length === 0, GENEROUS_MS, "all processes to end");
  return performance.now() - begin;
}

/** Other programs can only make a round longer, so the shortest of up to three counts. */
async function shortest(limitMs: number, round: () => Promise<number>): Promise<number> {
  let ms = await round();
  for (let i = 1; i < ROUNDS && ms >= limitMs; i++) ms = Math.min(ms, await round());
  return ms;
}

// At the same time, because nearly all of it is waiting.
describe.concurrent("shutdown on an idle machine", () => {
  // Servers get shutdownMs (2 s by default) for their last answers and the end of their input, and
  // again after SIGTERM, then SIGKILL. That leaves one of the promised five seconds for all the rest.
  it.for(ENDINGS)(
    "by %s ends all servers and descendants within five seconds",
    async ([, { end }], context) => {
      const cleanup = disposablesOf(context);
      const elapsed = await shortest(PROMISED_MS, async () => {
        const workbench = await startEveryKind(cleanup, {});
        return measure(workbench, () => end(workbench));
      });
      expect(elapsed).toBeLessThan(PROMISED_MS);
    },
  );

  it.for(ENDINGS)("by %s takes no longer with calls in flight", async ([, { end }], context) => {
    const cleanup = disposablesOf(context);
    const elapsed = await shortest(PROMISED_MS, async () => {
      const workbench = await startEveryKind(cleanup, {});
      const gate = closedGate(cleanup);
      for (const server of ["stubborn", "wrapped"]) {
        const call = useTool(workbench.client, `dev/${server}/sleep`, { until: gate.file });
        call.catch(() => {});
        const isRunning = (): boolean =>
          workbench.witness("dev", server).messages("tools/call").length > 0;
        await waitFor(isRunning, GENEROUS_MS, `${server} to be called`);
      }
      return measure(workbench, () => end(workbench));
    });
    expect(elapsed).toBeLessThan(PROMISED_MS);
  });

  // Twice 200 ms for the servers; with the default it would take more than four seconds.
  it("kills stubborn servers sooner with a smaller shutdownMs", async (context) => {
    const cleanup = disposablesOf(context);
    const workbench = await startEveryKind(cleanup, { timeouts: { shutdownMs: 200 } });
    const elapsed = await measure(workbench, () => workbench.client.kill("SIGTERM"));
    expect(elapsed).toBeLessThan(3000);
  });

  // The first signal alone would take twice 8 s.
  it("takes no further time after a second signal", async (context) => {
    const cleanup = disposablesOf(context);
    const config = dev({ fx: fixture(...STUBBORN) }, { timeouts: { shutdownMs: 8000 } });
    const workbench = await startWorkbench(cleanup, config);
    await openToolbox(workbench.client, "dev");
    const witness = workbench.witness("dev", "fx");
    workbench.client.kill("SIGTERM");
    const hasEof = (): boolean => witness.rows().some(({ event }) => event === "eof");
    await waitFor(hasEof, GENEROUS_MS, "the first signal to take effect");
    const elapsed = await measure(workbench, () => workbench.client.kill("SIGTERM"));
    expect(elapsed).toBeLessThan(5000);
  });
});
