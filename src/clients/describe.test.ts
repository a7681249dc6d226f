import { describe, expect, it } from "vitest";

import { describeToolbox, updatedDescription } from "./describe.ts";

describe("the generated description of a toolbox", () => {
  it("starts with the names of the servers", () => {
    expect(describeToolbox(["github", "jira"], "other tools")).toBe("github, jira: other tools");
    expect(describeToolbox(["a"])).toBe("Tools of a");
    const many = Array.from({ length: 14 }, (_, index) => `s${index}`);
    expect(describeToolbox(many, "other tools")).toMatch(/^s0, .*, s11 and 2 more: other tools$/);
  });

  it("follows the servers", () => {
    const purpose = "source code, reviews, issues and builds";
    expect(updatedDescription(`a, b: ${purpose}`, ["a", "b"], ["b", "c"])).toBe(`b, c: ${purpose}`);
    expect(updatedDescription("Tools of a", ["a"], ["a", "b"])).toBe("Tools of a, b");
  });

  it("is left alone once the user has changed it", () => {
    for (const text of ["a, b: my own words", "a: other tools", "Tools of a", "Work", "a, b"])
      expect(updatedDescription(text, ["a", "b"], ["a", "b", "c"])).toBe(text);
  });
});
