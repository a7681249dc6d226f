/**
 * The scenarios themselves are tested: each has to fail against a gateway that takes no care, and
 * for the reason it is about. In the full suite because most of them wait in vain for that; other tests can only make
 * the gateway slower, and what it never does it does not do on a busy machine either.
 */
import { describe, expect, it } from "vitest";
import { UNHURRIED_NAIVE } from "./program.ts";
import { play } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/index.ts";

describe.concurrent("a naive gateway fails the torture scenario", () => {
  for (const scenario of SCENARIOS)
    it(`${scenario.id}: ${scenario.title}`, async () => {
      await expect(play(scenario, UNHURRIED_NAIVE)).rejects.toThrow(scenario.naive);
    });
});
