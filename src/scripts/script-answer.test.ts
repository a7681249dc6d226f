import { describe, expect, it } from "vitest";

import { RanCalls } from "./ran-calls.ts";
import { scriptAnswer } from "./script-answer.ts";
import type { ScriptReport } from "./script-run.ts";

const SETTINGS = {
  memoryMb: 64,
  cpuMs: 5000,
  totalMs: 120_000,
  calls: 1000,
  parallel: 16,
  outputChars: 20_000,
  sourceBytes: 65_536,
};

async function answered(output: Partial<ScriptReport["output"]>, id: string | undefined) {
  const nothing = { value: "v", valueChars: 1, log: "", logChars: 0, emitted: [], cpuMs: 0 };
  const report: ScriptReport = {
    end: { kind: "value" },
    output: { ...nothing, ...output },
    calls: new RanCalls(),
    resultBytes: 0,
    ms: 1,
    isShared: false,
  };
  const stored: string[] = [];
  const outcome = await scriptAnswer(report, { source: "" }, SETTINGS, {
    limit: { chars: 10, reason: "the reason" },
    ...(id !== "no store" && {
      store: async (text: string) => {
        stored.push(text);
        return id;
      },
    }),
  });
  if (outcome.kind !== "result") throw new Error("not a result");
  const { content } = JSON.parse(String(outcome.result)) as { content: { text: string }[] };
  return { texts: content.map(({ text }) => text), stored };
}

describe("the output of a script that is too long", () => {
  it("is cut with the reason, and stored", async () => {
    const { texts, stored } = await answered({ value: "0123456789ab", valueChars: 12 }, "r3");
    expect(texts).toEqual([
      "0123456789\n… [truncated: the first 10 of 12 characters (the reason). All of it is stored: another script can read results.r3. Return less, such as counts or the fields you need.]",
    ]);
    expect(stored).toEqual(["0123456789ab"]);
  });

  it("says how much of it is stored if that is not all", async () => {
    const log = "x".repeat(20);
    const { texts } = await answered({ value: "", valueChars: 0, log, logChars: 50 }, "r3");
    expect(texts[1]).toContain(
      "the first 10 of 50 characters (the reason). Its first 20 characters are stored: another script can read results.r3.",
    );
  });

  it("is marked if more was printed than is kept, although the limit is larger", async () => {
    const { texts, stored } = await answered({ log: "12345678", logChars: 9 }, "r3");
    expect(texts[1]).toBe(
      "console:\n12345678\n… [truncated: the first 8 of 9 characters (the workbench keeps no more). Return less, such as counts or the fields you need.]",
    );
    expect(stored).toEqual([]);
  });

  it("does not say that it is stored if it is not", async () => {
    const { texts } = await answered({ value: "0123456789ab", valueChars: 12 }, undefined);
    expect(texts[0]).not.toContain("stored");
  });

  it("says that the rest is not kept to a client that could not read it", async () => {
    const output = { value: "0123456789ab", valueChars: 12 };
    const { texts, stored } = await answered(output, "no store");
    expect(texts[0]).toContain("the first 10 of 12 characters (the reason). The rest is not kept.");
    expect(texts[0]).not.toMatch(/stored|results\.|Return less/);
    expect(stored).toEqual([]);
  });
});
