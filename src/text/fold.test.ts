import { describe, expect, it } from "vitest";

import { folded } from "./fold.ts";

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
    expect(folded(text)).toBe(expected);
  });

  it.each(["names", "nam", "name ", "ｎame", "_name"])("leaves %j apart from name", (text) => {
    expect(folded(text)).not.toBe("name");
  });
});
