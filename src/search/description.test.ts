import { describe, expect, it } from "vitest";

import { descriptionOf } from "./description.ts";

describe("descriptionOf", () => {
  it.each([
    "Description not available",
    "Tool description not accessible via automated extraction",
    "No description provided.",
    "no description",
    "(none)",
    "N/A",
    "TODO",
    "TODO: add description",
    "description not set",
    "No summary available",
    "Not documented",
    "Placeholder",
    "Tool",
    "...",
    "-",
    "",
    undefined,
    7,
  ])("is empty for %j", (description) => {
    expect(descriptionOf({ name: "x", description })).toBe("");
  });

  it.each([
    "Description of a table",
    "None of the rows is changed",
    "Todo lists of a user",
    "Tool to read a file",
    "显示",
    "No description is needed: reads a file",
  ])("keeps %j", (description) => {
    expect(descriptionOf({ name: "x", description })).toBe(description);
  });
});
