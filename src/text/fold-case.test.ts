import { describe, expect, it } from "vitest";

import { foldCase } from "./fold-case.ts";

describe("folding", () => {
  it.each([
    ["arguments", "ARGUMENTS"],
    ["arguments", "argumentſ"],
    ["taskid", "tasKId"],
    ["uri", "urı"],
    ["uri", "URİ"],
    ["requeststate", "requeﬆState"],
    ["name", "name\0x"],
  ])("makes %j of %j", (expected, text) => {
    expect(foldCase(text)).toBe(expected);
  });

  it.each(["names", "nam", "name ", "ｎame", "_name"])("keeps %j distinct from name", (text) => {
    expect(foldCase(text)).not.toBe("name");
  });
});
