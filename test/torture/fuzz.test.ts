/** Damaged messages: the ones that once broke the program, and a hundred thousand new ones. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Failure,
  fuzz,
  fuzzTarget,
  inputAt,
  keep,
  REGRESSIONS,
  replay,
  TARGETS,
} from "./fuzz/run.ts";
import type { TargetName } from "./fuzz/target.ts";
import { CARELESS, NAIVE, type Program } from "./program.ts";

const INPUTS = 100_000;
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);

describe("damaged messages", () => {
  const cases = readdirSync(REGRESSIONS).filter((name) => name.endsWith(".json"));
  it.each(cases)("%s stays mended", async (name) => {
    const { target, inputs } = JSON.parse(readFileSync(REGRESSIONS + name, "utf8")) as Failure;
    const bytes = inputs.map((input) => Buffer.from(input, "base64"));
    expect(await replay(target, bytes)).toBeUndefined();
  });

  it(`${INPUTS} of them break nothing, seed ${SEED}`, { timeout: 300_000 }, async () => {
    const failure = await fuzz({ inputs: INPUTS, seed: SEED });
    const kept = failure === undefined ? undefined : keep(failure);
    expect({ reason: failure?.reason, kept }).toEqual({ reason: undefined, kept: undefined });
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

/** The fuzzer itself is tested: it has to find what is wrong with programs that take no care. */
describe.concurrent("damaged messages show what is wrong with", () => {
  const flawed: [string, TargetName, Program, RegExp][] = [
    ["a naive gateway over stdio", "client-lines", NAIVE, /^I4 no answer/],
    ["a naive gateway over HTTP", "http-bodies", NAIVE, /^I4 not the one answer/],
    ["a relay that believes its servers", "server-lines", CARELESS, /^I[1459] /],
  ];
  it.each(flawed)("%s", { timeout: 60_000 }, async (_, target, program, wrong) => {
    const broken = await fuzzTarget({ target, seed: SEED, count: 2000, program });
    expect(broken?.reason).toMatch(wrong);
  });
});
