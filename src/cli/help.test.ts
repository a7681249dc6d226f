import { describe, expect, it } from "vitest";
import { requireCommand } from "./help.ts";

describe("an unknown command", () => {
  it.each([
    ["ls", "Did you mean 'list'?"],
    ["instal", "Did you mean 'install'?"],
    ["__proto__", "See mcp-workbench --help"],
    ["constructor", "See mcp-workbench --help"],
    ["toString", "See mcp-workbench --help"],
  ])("leads to a hint: %s", (name, hint) => {
    expect(() => requireCommand(name)).toThrow(
      expect.objectContaining({ code: "USAGE", hint }) as Error,
    );
  });
});
