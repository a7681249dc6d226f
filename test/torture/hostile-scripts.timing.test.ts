/**
 * Every hostile script against the built program, while a bystander calls another server all the
 * time. A handful of them are in test/e2e/scripts-limits.full.test.ts.
 */
import { spawn } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { callTool, textOf, useTool } from "../support/calls.ts";
import { perBlock } from "../support/disposables.ts";
import { RawClient } from "../support/raw-client.ts";
import { runRaw, valueOf } from "../support/scripts.ts";
import { dev, fixture } from "../support/servers.ts";
import { initialize, type RunningWorkbench, startWorkbench } from "../support/workbench.ts";
import { Bystander } from "./bystander.ts";
import { HOSTILE_LIMITS, HOSTILE_SCRIPTS } from "./hostile-scripts.ts";
import { waitedForProcessor } from "./waited.ts";

/** What the design promises for everyone else. */
const MAX_DELAY_MS = 250;

describe("hostile scripts", () => {
  const cleanup = perBlock();
  let workbench: RunningWorkbench;
  let direct: RawClient;
  beforeAll(async () => {
    const config = dev({ fx: fixture(), bystander: fixture() }, { scripts: HOSTILE_LIMITS });
    workbench = await startWorkbench(cleanup, config);
    const { command, args = [] } = fixture();
    direct = new RawClient(spawn(command, args, { stdio: "pipe" }));
    cleanup.defer(() => void direct.kill("SIGKILL"));
    await initialize(direct);
    await useTool(workbench.client, "dev/bystander/echo", { text: "warm" });
    await runRaw(workbench.client, "return 1");
  });

  it.each(HOSTILE_SCRIPTS.map((one) => [one.name, one] as const))(
    "%s: the script ends as it should, and no one else notices",
    async (_name, { script, ends }) => {
      const { client, pid } = workbench;
      const bystander = new Bystander(
        async (text) => textOf(await useTool(client, "dev/bystander/echo", { text })),
        {
          direct: async (text) => textOf(await callTool(direct, "echo", { text })),
          waited: () => waitedForProcessor(pid),
        },
      );
      bystander.start();
      const { content } = await runRaw(client, script);
      const report = await bystander.stop(4);
      expect(content[0]?.text).toMatch(ends);
      expect(report.errors).toEqual([]);
      // A busy machine delays direct calls at the same moments, too.
      expect(report.own.max - report.direct.max, JSON.stringify(report)).toBeLessThan(MAX_DELAY_MS);
      expect(valueOf(await runRaw(client, "return 1"))).toBe(1);
    },
  );
});
