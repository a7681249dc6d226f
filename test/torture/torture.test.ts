/** Every scenario of the torture suite against the built program. */
import { describe, expect, it } from "vitest";
import { WORKBENCH } from "./program.ts";
import { play } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/index.ts";

const LONGEST_MS = 90_000;
const loud = SCENARIOS.filter((scenario) => scenario.loud === true);
const quiet = SCENARIOS.filter((scenario) => scenario.loud !== true);

describe.concurrent("nothing brings it down", () => {
  for (const scenario of quiet)
    it(
      `${scenario.id} ${scenario.title}`,
      async () => expect(await play(scenario, WORKBENCH)).not.toEqual([]),
      LONGEST_MS,
    );
});

describe("nothing brings it down, under load", () => {
  for (const scenario of loud)
    it(
      `${scenario.id} ${scenario.title}`,
      async () => expect(await play(scenario, WORKBENCH)).not.toEqual([]),
      LONGEST_MS,
    );
});
