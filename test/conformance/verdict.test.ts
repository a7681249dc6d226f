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
  it("finds no problem in a run without failures, with or without warnings", () => {
    expect(problemsOf([scored("a"), scored("b", warning), unscored("c", warning)], [])).toEqual([]);
  });

  it("reports a failed check of a required scenario", () => {
    expect(problemsOf([scored("a", failure)], [])).toEqual(["a: check: broken"]);
  });

  it("ignores an optional check that also fails without the workbench", () => {
    const results = [unscored("a", failure)];
    expect(problemsOf(results, [])).toEqual([]);
    expect(problemsOf(results, [], [unscored("a", failure)])).toEqual([]);
  });

  it("reports an optional check that passes without the workbench", () => {
    const direct = [unscored("a", warning)];
    expect(problemsOf([unscored("a", failure)], [], direct)).toEqual(["a: check: broken"]);
  });

  it("includes unscored scenarios that are required", () => {
    const required: ScenarioResult = { ...unscored("a", failure), isRequired: true };
    expect(problemsOf([required], [])).toEqual(["a: check: broken"]);
    expect(problemsOf([required], ["a"])).toEqual([]);
  });

  it("accepts expected failures, by scenario or by check", () => {
    expect(problemsOf([scored("a", failure)], ["a"])).toEqual([]);
    expect(problemsOf([scored("a", failure)], ["a:check"])).toEqual([]);
    expect(problemsOf([scored("a", failure)], ["a:other"])).toEqual([
      "a: check: broken",
      "a:other: expected to fail, but passes",
    ]);
  });

  it("reports an expected failure that no longer happens, unless its scenario was not run", () => {
    expect(problemsOf([scored("a")], ["a"])).toEqual(["a: expected to fail, but passes"]);
    expect(problemsOf([scored("a")], ["b", "b:check"])).toEqual([]);
  });
});
