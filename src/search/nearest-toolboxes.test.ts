import { describe, expect, it } from "vitest";

import { TOOLBOXES } from "../../test/fixtures/tool-corpus.ts";
import { nearestToolboxes } from "./nearest-toolboxes.ts";

function nearest(query: string, limit = 4): string[] {
  return nearestToolboxes(query, TOOLBOXES, limit).map(({ name }) => name);
}

describe("nearestToolboxes", () => {
  it.each([
    ["correspondance", "office"],
    ["incidents", "ops"],
    ["datenbank report", "data"],
    ["reviewing code", "dev"],
  ])("ranks, for %j, %s first", (query, expected) => {
    expect(nearest(query)[0]).toBe(expected);
  });

  it("keeps the order of the configuration if nothing is close", () => {
    expect(nearest("???")).toEqual(["dev", "office", "ops", "data"]);
    expect(nearest("???", 2)).toEqual(["dev", "office"]);
  });
});
