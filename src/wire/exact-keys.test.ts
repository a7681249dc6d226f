import { describe, expect, it } from "vitest";
import { inexactKey, shapeOf } from "./exact-keys.ts";

const LONG = `a-name-of-many-characters-${"x".repeat(80)}`;

describe("inexactKey", () => {
  const shape = shapeOf(["name", LONG]);

  it.each([
    ["another case", "Name"],
    ["a NUL and little after it", "name\\u0000x"],
    ["a NUL and much after it", `name\\u0000${"x".repeat(10_000)}`],
    ["a long key in another case", LONG.toUpperCase()],
    ["a long key with escapes", LONG.replace("-", "\\u002d")],
  ])("finds %s", (_what, key) => {
    expect(inexactKey(`{"${key}":1}`, shape)).toBeDefined();
  });

  it("finds a key after one of any length", () => {
    expect(inexactKey(`{"${"n".repeat(100_000)}":1,"NAME":2}`, shape)?.reason).toBe(
      "'NAME' could be mistaken for 'name'",
    );
  });

  it("quotes no more of a key than a message can hold", () => {
    const { reason } = inexactKey(`{"name\\u0000${"x".repeat(10_000)}":1}`, shape) ?? {};
    expect(reason?.length).toBeLessThan(200);
  });

  it("accepts keys that are written exactly, and all others", () => {
    expect(inexactKey(`{"name":1,"${LONG}":2,"names":3,"_name":4}`, shape)).toBeUndefined();
  });
});
