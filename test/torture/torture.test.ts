/** The torture scenarios against the built program, without what only an idle machine can show. */
import { describe, expect, it } from "vitest";
import { WORKBENCH } from "./program.ts";
import { play } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/index.ts";

describe.concurrent("torture scenario", () => {
  for (const scenario of SCENARIOS)
    it(`${scenario.id}: ${scenario.title}`, { timeout: 300_000 }, async () => {
      expect(await play(scenario, WORKBENCH)).not.toEqual([]);
    });
});
