import { describe, expect, it } from "vitest";

import { readLifetime } from "./lifetime.ts";

describe("the lifetime of a token", () => {
  it.each([
    ["1m", 60_000],
    ["12h", 12 * 3_600_000],
    ["30d", 30 * 86_400_000],
    ["8w", 56 * 86_400_000],
    ["3650d", 3650 * 86_400_000],
    [undefined, undefined],
  ])("%s is %s ms", (text, ms) => {
    expect(readLifetime(text)).toBe(ms);
  });

  it.each(["", "0d", "30", "d", "-1d", "1.5d", "30 d", "30D", "soon", "3651d", "1y", "9999999m"])(
    "cannot be %j",
    (text) => {
      expect(() => readLifetime(text)).toThrow(`'${text}' is not a time`);
    },
  );
});
