import { describe, expect, it } from "vitest";
import type { Finding, ScenarioResult } from "./suite.ts";
import { problemsOf } from "./verdict.ts";

const failure: Finding = { id: "check", status: "FAILURE", message: "broken" };
const warning: Finding = { id: "check", status: "WARNING", message: "odd" };

function scored(name: string, ...findings: Finding[]): ScenarioResult {
  return { name, scored: true, passed: 1, findings };
}

function unscored(name: string, ...findings: Finding[]): ScenarioResult {
  return { ...scored(name, ...findings), scored: false };
}

describe("problemsOf", () => {
  it("finds nothing in a run without failures, warnings or not", () => {
    expect(problemsOf([scored("a"), scored("b", warning), unscored("c", warning)], [])).toEqual([]);
  });

  it("reports a failed check of a scenario that counts", () => {
    expect(problemsOf([scored("a", failure)], [])).toEqual(["a: check: broken"]);
  });

  it("ignores a failure that does not count and fails directly too", () => {
    const results = [unscored("a", failure)];
    expect(problemsOf(results, [])).toEqual([]);
    expect(problemsOf(results, [], [unscored("a", failure)])).toEqual([]);
  });

  it("reports a failure that does not count but passes directly", () => {
    const direct = [unscored("a", warning)];
    expect(problemsOf([unscored("a", failure)], [], direct)).toEqual(["a: check: broken"]);
  });

  it("accepts what is expected, by scenario or by check", () => {
    expect(problemsOf([scored("a", failure)], ["a"])).toEqual([]);
    expect(problemsOf([scored("a", failure)], ["a:check"])).toEqual([]);
    expect(problemsOf([scored("a", failure)], ["a:other"])).toEqual([
      "a: check: broken",
      "a:other: expected to fail, but passes",
    ]);
  });

  it("reports an expectation that is out of date, unless its scenario was not run", () => {
    expect(problemsOf([scored("a")], ["a"])).toEqual(["a: expected to fail, but passes"]);
    expect(problemsOf([scored("a")], ["b", "b:check"])).toEqual([]);
  });
});
