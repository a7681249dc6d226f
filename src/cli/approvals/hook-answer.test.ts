import { describe, expect, it } from "vitest";

import type { Decision } from "../../calls/decision.ts";
import { hookAnswer } from "./hook-answer.ts";

const tool = { toolbox: "dev", server: "github", name: "push" };
const answerTo = (decision: Decision, metaTool: "use_tool" | "read_tool" = "use_tool") =>
  hookAnswer({ metaTool, tool }, decision, ["branch: main"])?.hookSpecificOutput;

describe("the answer to a hook", () => {
  it.each(["ask", "deny"] as const)(
    "is '%s' if the policy decides that, with the reason",
    (action) => {
      const answer = answerTo({
        action,
        rule: "policy.rules[0]",
        reason: "by hand",
        toolClass: "write",
      });
      expect(answer).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: action });
      expect(answer?.permissionDecisionReason).toMatch(
        /^Tool 'push' of server 'github' \(toolbox 'dev'\)\nbranch: main\n.*: by hand$/,
      );
      const unexplained = answerTo({ action, rule: "policy.default" });
      expect(unexplained?.permissionDecisionReason).toContain("see policy.default");
    },
  );

  it("is 'allow' only if a rule allows the call", () => {
    const allowed = answerTo({
      action: "allow",
      rule: "policy.rules[1]",
      toolClass: "destructive",
    });
    expect(allowed?.permissionDecision).toBe("allow");
    expect(answerTo({ action: "allow", toolClass: "destructive" })).toBeUndefined();
    expect(answerTo({ action: "allow", toolClass: "read" })).toBeUndefined();
  });

  it("denies read_tool for a tool that does not only read", () => {
    const rule = "policy.rules[1]";
    for (const action of ["allow", "ask"] as const) {
      const answer = answerTo({ action, rule, toolClass: "write" }, "read_tool");
      expect(answer?.permissionDecision).toBe("deny");
      expect(answer?.permissionDecisionReason).toContain("call it with use_tool");
    }
    const read = answerTo({ action: "allow", rule, toolClass: "read" }, "read_tool");
    expect(read?.permissionDecision).toBe("allow");
  });

  it("shows no control characters of names and reasons", () => {
    const named = { metaTool: "use_tool", tool: { ...tool, name: "a\u001b[2J" } } as const;
    const answer = hookAnswer(named, { action: "ask", reason: "b\nAllowed" }, []);
    const text = answer?.hookSpecificOutput.permissionDecisionReason ?? "";
    expect(text).not.toContain("\u001b");
    expect(text.split("\n")).toHaveLength(3);
    expect(text).toContain("(no arguments)");
  });
});
