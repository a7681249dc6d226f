/** The examples of docs/access.md mean what the page says; the commands are accepted as they are written. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { Policy } from "../../src/access/policy/policy.ts";
import { STDIO_PRINCIPAL } from "../../src/calls/principal.ts";
import { readArguments } from "../../src/cli/core/arguments.ts";
import { requireCommand } from "../../src/cli/help.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { WorkbenchSettings } from "../../src/config/types.ts";
import { blocksOf } from "./blocks.ts";

const PAGE = readFileSync(new URL("../../docs/access.md", import.meta.url), "utf8");
const textsOf = (language: string): string[] =>
  blocksOf(PAGE)
    .filter((block) => block.language === language)
    .map(({ lines }) => lines.join("\n"));

/** The settings of the only example that contains a text. */
async function exampleWith(text: string): Promise<WorkbenchSettings> {
  const [example = "", ...others] = textsOf("json").filter((one) => one.includes(text));
  expect(others).toEqual([]);
  return parseConfig(example, { file: "/home/ada/workbench-config.json", env: {} });
}

/** What an example says about a call of a tool of the server `github`: an action, or that it is hidden. */
function decisionOn(
  settings: WorkbenchSettings,
  name: string,
  args = {},
  annotations = {},
): string {
  const value = { name, annotations };
  const catalogue = {
    tools: new Map([[name, { name, ownName: name, nameJson: `"${name}"`, value, text: "" }]]),
  };
  const policy = new Policy(settings).of({ toolbox: "dev", server: "github" });
  const verdict = policy?.verdict(catalogue, name, STDIO_PRINCIPAL);
  if (verdict?.isHidden !== false) return "hidden";
  const { action, reason } = verdict.decide(JSON.stringify(args));
  return reason === undefined ? action : `${action}: ${reason}`;
}

describe("docs/access.md", () => {
  it("denies tools and branches", async () => {
    const settings = await exampleWith("repositories are deleted by hand");
    expect(decisionOn(settings, "delete_repo")).toBe("hidden");
    expect(decisionOn(settings, "push", { branch: "release/1" })).toBe("deny");
    expect(decisionOn(settings, "push", { branch: "feature/1" })).toBe("allow");
  });

  it("asks about destructive tools", async () => {
    const settings = await exampleWith("it may destroy something");
    expect(decisionOn(settings, "push")).toBe("ask: it may destroy something");
    expect(decisionOn(settings, "get_issue", {}, { readOnlyHint: true })).toBe("allow");
  });

  it("allows only tools that read", async () => {
    const settings = await exampleWith('"readOnly": true');
    expect(decisionOn(settings, "get_issue")).toBe("allow");
    expect(decisionOn(settings, "add_comment")).toBe("hidden");
    expect(decisionOn(settings, "search", {}, { readOnlyHint: true })).toBe("hidden");
  });

  it("allows what is known and denies the rest", async () => {
    const settings = await exampleWith("push to a feature branch");
    expect(decisionOn(settings, "push", { branch: "feature/1" })).toBe("allow");
    expect(decisionOn(settings, "push", { branch: "main" })).toBe("deny: push to a feature branch");
    expect(decisionOn(settings, "push")).toBe("deny: push to a feature branch");
  });

  it("limits rates", async () => {
    const { rateLimits } = await exampleWith('"perMs"');
    expect(rateLimits).toMatchObject([
      { tools: ["github/*"], calls: 60, perMs: 60_000, burst: 10 },
      { clients: ["ci"], calls: 5000 },
    ]);
  });

  it("has no further examples, and commands that exist", () => {
    expect(textsOf("json")).toHaveLength(5);
    const lines = textsOf("sh").flatMap((text) => text.split("\n"));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const line of lines) {
      const [program, name = "", ...args] = line.split(" ");
      expect(program).toBe("mcp-workbench");
      expect(() => readArguments(requireCommand(name), args)).not.toThrow();
    }
  });
});
