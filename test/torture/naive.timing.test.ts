/**
 * The scenarios themselves are tested: each has to fail against a gateway that takes no care, and
 * for the reason it is about. Some of these reasons are times that were exceeded.
 */
import { describe, expect, it } from "vitest";
import { NAIVE } from "./program.ts";
import { play } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/index.ts";

describe.concurrent("a naive gateway fails the torture scenario", () => {
  for (const scenario of SCENARIOS)
    it(`${scenario.id}: ${scenario.title}`, async () => {
      await expect(play(scenario, NAIVE)).rejects.toThrow(scenario.naive);
    });
});
