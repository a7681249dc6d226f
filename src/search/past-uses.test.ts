import { describe, expect, it } from "vitest";

import { MAX_USES, boostsFor, mergedUses, pastUse } from "./past-uses.ts";

describe("past uses", () => {
  const uses = [
    pastUse("Deploy the website", "ops/ci/run"),
    pastUse("send a mail", "office/m/send"),
  ];

  it("keep stems of the query, not its text", () => {
    expect(uses[0]).toEqual({ terms: ["deploy", "websit"], tool: "ops/ci/run" });
  });

  it("rank a tool higher after the same or a similar query", () => {
    expect([...boostsFor("deploying websites", uses)]).toEqual([["ops/ci/run", 0.3]]);
    const similar = boostsFor("deploy the docs website", uses).get("ops/ci/run") ?? 0;
    expect(similar).toBeGreaterThan(0.2);
    expect(similar).toBeLessThan(0.3);
  });

  it("do not count for other queries", () => {
    expect(boostsFor("website of the customer in the north of the town", uses).size).toBe(0);
    expect(boostsFor("", uses).size).toBe(0);
  });

  it("are kept once, the oldest are forgotten", () => {
    expect(mergedUses([...uses, ...uses])).toHaveLength(2);
    const many = Array.from({ length: MAX_USES + 5 }, (_, i) => pastUse(`query${i}`, "a/b/c"));
    expect(mergedUses(many)).toEqual(many.slice(5));
  });
});
