import { describe, expect, it } from "vitest";
import { toolsWithInvisibleText } from "./invisible-text.ts";

const isFound = (description: string): boolean =>
  toolsWithInvisibleText([["tool", JSON.stringify({ description })]]).length > 0;

describe("toolsWithInvisibleText", () => {
  it.each([
    ["a zero-width space", "read\u200Ba file"],
    ["a right-to-left override", "read \u202Eelif"],
    ["tag characters", "read a file\u{E0069}\u{E0067}"],
    ["a soft hyphen", "de\u00ADlete"],
  ])("finds %s", (_, description) => expect(isFound(description)).toBe(true));

  it("finds characters that are written as escapes", () => {
    const definition = String.raw`{"description":"a\u200bb\udb40\udc69"}`;
    expect(toolsWithInvisibleText([["tool", definition]])).toEqual(["tool"]);
  });

  it.each(["Reads a file.\n\tAll of it", "Größe 文件 👩‍💻", "می‌خواهم"])(
    "does not mind ordinary text: %j",
    (description) => expect(isFound(description)).toBe(false),
  );
});
