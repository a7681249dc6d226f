/** Damaged messages: the ones that once broke the program, and some new ones in every run. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SEED } from "../support/seed.ts";
import { breakage } from "./fuzz/breakage.ts";
import { type Failure, inputAt, REGRESSIONS, replay, TARGETS } from "./fuzz/run.ts";

const INPUTS = 2500;

describe("damaged messages", () => {
  const cases = readdirSync(REGRESSIONS).filter((name) => name.endsWith(".json"));
  it.each(cases)("that once broke the program are handled now: %s", async (name) => {
    const { target, inputs } = JSON.parse(readFileSync(REGRESSIONS + name, "utf8")) as Failure;
    const bytes = inputs.map((input) => Buffer.from(input, "base64"));
    expect(await replay(target, bytes)).toBeUndefined();
  });

  it(
    `break nothing, ${INPUTS} of them from the seed of this run`,
    { timeout: 300_000 },
    async () => {
      expect(await breakage(INPUTS, SEED)).toBeUndefined();
    },
  );

  it("are the same for the same seed, and different for another", () => {
    for (const target of TARGETS) {
      const some = (seed: number): string[] =>
        Array.from({ length: 50 }, (_, i) => inputAt(target, seed, i).toString("base64"));
      expect(some(1)).toEqual(some(1));
      expect(some(1)).not.toEqual(some(2));
      expect(new Set(some(1)).size).toBeGreaterThan(40);
    }
  });
});
