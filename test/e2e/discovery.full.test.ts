/** When servers that no client uses are started, so that their tools can be found. In the full suite because it starts many. */
import { describe, expect, it } from "vitest";
import { listTools, openToolbox, searchTools } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { searchAllServers } from "../support/search.ts";
import {
  type Config,
  dev,
  fixture,
  toolbox,
  type Witness,
  type WitnessRow,
} from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

describe("the setting discovery:", () => {
  const boxes = (discovery: string): Config =>
    dev(Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, fixture("--name", name)])), {
      discovery,
    });

  it("lazy starts no server before a client searches", async () => {
    const workbench = await startWorkbench(cleanup, boxes("lazy"));
    await listTools(workbench.client);
    // By the time an eager workbench has probed its servers, this one would have started.
    await allVisited(await startWorkbench(cleanup, boxes("eager")));
    expect(workbench.witness("dev", "a").starts).toBe(0);
    const answer = await searchAllServers(workbench.client, "echo", { limit: 20 });
    expect(answer).toMatch(/^dev\/.\/echo\(.* \(also in dev\/., dev\/. and 1 more\)$/m);
  });

  it("off makes a search start nothing, and find what was opened", async () => {
    const workbench = await startWorkbench(cleanup, {
      ...boxes("off"),
      toolboxes: { ...boxes("off").toolboxes, ops: toolbox({ fx: fixture() }) },
    });
    const { client } = workbench;
    await openToolbox(client, "ops");
    const answer = await searchTools(client, "echo", { limit: 20 });
    expect(answer).toContain("ops/fx/echo");
    expect(answer).not.toContain("dev/a/echo");
    expect(answer).toContain("never connected): dev/a, dev/b, dev/c and 1 more");
    expect(workbench.witness("dev", "a").starts).toBe(0);
  });

  it("eager visits all servers after the start, two at a time, and ends them again", async () => {
    const workbench = await startWorkbench(cleanup, boxes("eager"));
    const witnesses = await allVisited(workbench);
    expect(mostAtOnce(witnesses.flatMap((witness) => witness.rows()))).toBeLessThanOrEqual(2);
    await searchTools(workbench.client, "echo");
    expect(witnesses.map(({ starts }) => starts)).toEqual([1, 1, 1, 1]);
  });

  it("eager starts no server of a toolbox that is not served", async () => {
    const config = boxes("eager");
    // Servers are visited in this order.
    const toolboxes = { ops: toolbox({ fx: fixture() }), ...config.toolboxes };
    const args = ["serve", "--toolbox", "dev"];
    const workbench = await startWorkbench(cleanup, { ...config, toolboxes }, { args });
    await allVisited(workbench);
    expect(workbench.witness("ops", "fx").starts).toBe(0);
  });
});

/** Waits until each of the four servers was started and has exited. */
async function allVisited(workbench: RunningWorkbench): Promise<Witness[]> {
  const witnesses = ["a", "b", "c", "d"].map((name) => workbench.witness("dev", name));
  const exits = (): number =>
    witnesses.flatMap((witness) => witness.rows()).filter(({ event }) => event === "exit").length;
  await waitFor(() => exits() === 4, GENEROUS_MS, "all servers to have started and ended");
  return witnesses;
}

function mostAtOnce(rows: readonly WitnessRow[]): number {
  let running = 0;
  let most = 0;
  const ordered = rows
    .filter(({ event }) => event === "start" || event === "exit")
    .sort((a, b) => a.at - b.at || (a.event === "exit" ? -1 : 1));
  for (const { event } of ordered) {
    running += event === "start" ? 1 : -1;
    most = Math.max(most, running);
  }
  return most;
}
