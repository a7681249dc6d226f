/** Damaged messages: the ones that once broke the program, and a hundred thousand new ones. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Failure, fuzz, inputAt, keep, REGRESSIONS, replay, TARGETS } from "./fuzz/run.ts";

const INPUTS = 100_000;
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);

describe("damaged messages", () => {
  const cases = readdirSync(REGRESSIONS).filter((name) => name.endsWith(".json"));
  it.each(cases)("%s stays mended", async (name) => {
    const { target, inputs } = JSON.parse(readFileSync(REGRESSIONS + name, "utf8")) as Failure;
    const bytes = inputs.map((input) => Buffer.from(input, "base64"));
    expect(await replay(target, bytes)).toBeUndefined();
  });

  it(`${INPUTS} of them break nothing`, { timeout: 300_000 }, async () => {
    const failure = await fuzz({ inputs: INPUTS, seed: SEED });
    if (failure !== undefined) keep(failure, SEED);
    expect(failure).toBeUndefined();
  });

  it("are the same for the same seed, and others for another", () => {
    for (const target of TARGETS) {
      const some = (seed: number): string[] =>
        Array.from({ length: 50 }, (_, i) => inputAt(target, seed, i).toString("base64"));
      expect(some(1)).toEqual(some(1));
      expect(some(1)).not.toEqual(some(2));
      expect(new Set(some(1)).size).toBeGreaterThan(40);
    }
  });
});
