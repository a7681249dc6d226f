import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  const keys = ["command", "args", "env", "cwd", "url", "headers", "toolFilters"];

  it.each([
    ["comand", "command"],
    ["commnad", "command"],
    ["arg", "args"],
    ["ENV", "env"],
    ["toolfilter", "toolFilters"],
    ["header", "headers"],
  ])("suggests for %s the key %s", (typed, meant) => {
    expect(nearest(typed, keys)).toBe(meant);
  });

  it.each(["x", "", "somethingElse", "password"])("suggests nothing for %j", (typed) => {
    expect(nearest(typed, keys)).toBeUndefined();
  });

  it("prefers the first of equally near candidates", () => {
    expect(nearest("dex", ["dev", "dep"])).toBe("dev");
  });

  it("is fast for extremely long words", () => {
    expect(nearest("a".repeat(1_000_000), ["b".repeat(1_000_000)])).toBeUndefined();
  });
});
