/** Many damaged messages, and proof that the fuzzer finds defects of careless programs. */
import { describe, expect, it } from "vitest";
import { SEED } from "../support/seed.ts";
import { breakage } from "./fuzz/breakage.ts";
import { fuzzTarget } from "./fuzz/run.ts";
import type { TargetName } from "./fuzz/target.ts";
import { CARELESS, NAIVE, type Program } from "./program.ts";

const INPUTS = 100_000;
/** This tests the fuzzer, so the inputs are known to be bad enough. */
const KNOWN_SEED = 1;

describe("damaged messages", () => {
  it(
    `break nothing, ${INPUTS} of them from the seed of this run`,
    { timeout: 300_000 },
    async () => {
      expect(await breakage(INPUTS, SEED)).toBeUndefined();
    },
  );
});

describe.concurrent("damaged messages reveal a defect in", () => {
  const flawed: [string, TargetName, Program, RegExp][] = [
    ["a naive gateway over stdio", "client-lines", NAIVE, /^I4 no answer/],
    ["a naive gateway over HTTP", "http-bodies", NAIVE, /^I4 not the one answer/],
    ["a relay that believes its servers", "server-lines", CARELESS, /^I[1459] /],
  ];
  it.each(flawed)("%s", { timeout: 60_000 }, async (_, target, program, wrong) => {
    const broken = await fuzzTarget({ target, seed: KNOWN_SEED, count: 2000, program });
    expect(broken?.reason).toMatch(wrong);
  });
});
