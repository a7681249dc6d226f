/**
 * Proves that the guard detects a slowdown, and what the smallest one is. In the full suite, because valgrind
 * makes it slow; it need not run alone, because it counts instructions, not time.
 */
import { expect, it } from "vitest";

import { findOrInstall } from "../../test/support/debian-packages.ts";
import { throughUseTool, workbench } from "../harness/subjects.ts";
import { type Workload, echo } from "../harness/workloads.ts";
import { Workspace, program } from "../harness/workspace.ts";
import { hasCallgrind } from "./callgrind.ts";
import { regressions } from "./compare.ts";
import { instructionsPerEcho, openCounted } from "./short-form.ts";

/** What the guard promises to find. */
const SLOWDOWN = 0.1;
const TIMES = 10;
/** Enough to see what a turn of the loop costs. */
const TRIED_TURNS = 2_000;

findOrInstall("valgrind", "valgrind");

it.skipIf(!hasCallgrind())(
  `speed guard: ${SLOWDOWN * 100} % more work is found ${TIMES} times of ${TIMES}`,
  { timeout: 600_000 },
  async () => {
    const workspace = new Workspace(["--require", program("slow.cjs")]);
    const connection = await openCounted(workspace, workbench(workspace, {}), throughUseTool);
    const count = (turns: number): Promise<number> =>
      instructionsPerEcho(workspace, connection, burning(turns));
    try {
      const before = await count(0);
      const perTurn = ((await count(TRIED_TURNS)) - before) / TRIED_TURNS;
      const turns = Math.round((SLOWDOWN * before) / perTurn);
      const found: number[] = [];
      for (let n = 0; n < TIMES; n++) {
        const ratio = (await count(turns)) / before;
        if (regressions({ echo: ratio }, { echo: 1 }).length > 0) found.push(ratio);
      }
      expect(found).toHaveLength(TIMES);
      expect(regressions({ echo: (await count(0)) / before }, { echo: 1 })).toEqual([]);
    } finally {
      await connection.close();
      workspace.remove();
    }
  },
);

/** An echo that costs this many turns of a loop more, in each of its two messages. */
function burning(turns: number): Workload {
  return {
    ...echo,
    async run(connection) {
      await connection.call("s0", "echo", { text: `burn ${turns}` });
    },
  };
}
