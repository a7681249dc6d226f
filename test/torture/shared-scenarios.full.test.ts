/**
 * The scenarios that matter if clients share a process, through that process: clients that leave or do not
 * read, servers that die during calls or talk without end, and configurations that change.
 */
import { describe, expect, it } from "vitest";
import { SHARED } from "./program.ts";
import { play } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/index.ts";

const IDS = ["S-04", "S-05", "S-06", "S-13", "S-14", "S-16", "S-17", "S-18", "S-26"];

describe.concurrent("shared torture scenario", () => {
  for (const scenario of SCENARIOS.filter(({ id }) => IDS.includes(id)))
    it(`${scenario.id}: ${scenario.title}`, { timeout: 300_000 }, async () => {
      // A scenario and its invariants throw if something does not hold.
      await expect(play(scenario, SHARED)).resolves.toBeInstanceOf(Array);
    });

  it("is known by its number", () => {
    expect(SCENARIOS.map(({ id }) => id)).toEqual(expect.arrayContaining(IDS));
  });
});
