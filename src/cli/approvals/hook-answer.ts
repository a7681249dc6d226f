import type { Decision } from "../../calls/decision.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { visible } from "../../text/visible.ts";
import type { HookedCall } from "./hook-call.ts";

/** What Claude Code reads from a PreToolUse hook. */
export interface HookAnswer {
  readonly hookSpecificOutput: {
    readonly hookEventName: "PreToolUse";
    readonly permissionDecision: Decision["action"];
    readonly permissionDecisionReason: string;
  };
}

/**
 * The answer to a hook; undefined if the client's own rules decide. A call is allowed only if a rule
 * says so: what no rule mentions is not something that the user has decided.
 */
export function hookAnswer(
  { metaTool, tool }: Pick<HookedCall, "metaTool" | "tool">,
  { action, rule, reason, toolClass }: Decision,
  shown: readonly string[],
): HookAnswer | undefined {
  if (action !== "deny" && metaTool === "read_tool" && toolClass !== "read")
    return answer("deny", tool, shown, "it may change something: call it with use_tool");
  if (action === "allow" && rule === undefined) return undefined;
  return answer(action, tool, shown, reason ?? `see ${rule ?? "policy"} in the configuration`);
}

function answer(
  permissionDecision: Decision["action"],
  { toolbox, server, name }: ToolIdentifier,
  shown: readonly string[],
  reason: string,
): HookAnswer {
  const permissionDecisionReason = [
    `Tool '${visible(name)}' of server '${server}' (toolbox '${toolbox}')`,
    ...(shown.length === 0 ? ["(no arguments)"] : shown),
    `${WHY[permissionDecision]}: ${visible(reason)}`,
  ].join("\n");
  const hookEventName = "PreToolUse";
  return { hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason } };
}

const WHY: Readonly<Record<Decision["action"], string>> = {
  allow: "Allowed by the policy",
  ask: "Why you are asked",
  deny: "Denied by the policy",
};
