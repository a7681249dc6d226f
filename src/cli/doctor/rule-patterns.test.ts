import { describe, expect, it } from "vitest";
import { parseConfig } from "../../config/load.ts";
import { Findings } from "./check.ts";
import { checkRulePatterns } from "./rule-patterns.ts";

describe("the patterns of rules", () => {
  it("are reported if they match no server where they apply", async () => {
    const rule = (pattern: string) => ({ tools: [pattern], action: "deny" });
    const server = { command: "x", policy: { rules: [rule("git/x"), rule("files/x")] } };
    const config = {
      policy: { rules: [rule("git/delete_*"), rule("dev/git/delete_*"), rule("*"), rule("?it/*")] },
      limits: { rate: [{ tools: ["files/*", "other/x"], calls: 1, perMs: 1000 }] },
      toolboxes: {
        dev: {
          description: "d",
          policy: { rules: [rule("files/*"), rule("git/*")] },
          mcpServers: { git: server },
        },
        ops: { description: "o", mcpServers: { files: { command: "x" } } },
      },
    };
    const findings = new Findings(false);
    checkRulePatterns(await parseConfig(JSON.stringify(config), { env: {} }), findings);
    expect(findings.checks.map(({ subject, message }) => `${subject} ${message}`)).toEqual([
      "policy.rules[1] the pattern 'dev/git/delete_*' matches no tool of a configured server",
      "limits.rate[0] the pattern 'other/x' matches no tool of a configured server",
      "toolboxes.dev.policy.rules[0] the pattern 'files/*' matches no tool of a configured server",
      "toolboxes.dev.mcpServers.git.policy.rules[1] the pattern 'files/x' matches no tool of a configured server",
    ]);
  });
});
