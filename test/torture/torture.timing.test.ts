/**
 * Every torture scenario against the built program, with its latency, memory, processor time and
 * elapsed times. They say nothing about the program while other programs keep the machine busy.
 */
import { describe, expect, it } from "vitest";
import { MEASURED_WORKBENCH } from "./program.ts";
import { play, type Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/index.ts";

const MAX_MS = 90_000;

function measure(scenario: Scenario): void {
  it(`${scenario.id}: ${scenario.title}`, { timeout: MAX_MS }, async () => {
    expect(await play(scenario, MEASURED_WORKBENCH)).not.toEqual([]);
  });
}

describe.concurrent("measured torture scenario", () => {
  SCENARIOS.filter(({ loud }) => loud !== true).forEach(measure);
});

describe("measured torture scenario, on its own", () => {
  SCENARIOS.filter(({ loud }) => loud === true).forEach(measure);
});
