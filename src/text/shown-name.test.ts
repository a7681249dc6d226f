import { describe, expect, it } from "vitest";

import { workbenchError } from "../errors.ts";
import { explainInput } from "../workbench/meta-tools/input-schemas.ts";
import { shownName, shownValue } from "./shown-name.ts";

describe("a name in a message", () => {
  it("is shown in full if it can be the name of a tool", () => {
    const name = "x".repeat(300);
    expect(shownName(name)).toBe(name);
    expect(shownValue('a"b')).toBe(String.raw`"a\"b"`);
    expect(shownValue(undefined)).toBe("undefined");
  });

  it("is shortened if it is longer, and keeps no half of a character", () => {
    expect(shownName("x".repeat(301))).toBe(`${"x".repeat(300)}…`);
    expect(shownName(`${"x".repeat(299)}😀`)).toBe(`${"x".repeat(299)}…`);
    expect(shownValue({ a: "x".repeat(1000) })).toHaveLength(301);
  });
});

describe("a name of megabytes", () => {
  const long = "_".repeat(8_000_000);

  it.each([
    workbenchError("UNKNOWN_TOOL", { name: long }),
    workbenchError("TOOLBOX_NOT_FOUND", { toolbox: long }),
    workbenchError("SERVER_NOT_FOUND", { toolbox: long, server: long }),
    workbenchError("TOOL_NOT_FOUND", { toolbox: "dev", server: "fx", name: long }),
    workbenchError("UNSUPPORTED_VERSION", { version: long }),
    workbenchError("NOTHING_HERE", { path: long }),
  ])("is not repeated in the error $code", ({ message }) => {
    expect(message.length).toBeLessThan(1000);
  });

  it("is not repeated in the problems of an input", () => {
    expect(explainInput("open_toolbox", { toolbox: "dev", [long]: 1 })).toMatch(
      /^_{300}…: Unrecognized key$/,
    );
  });
});
