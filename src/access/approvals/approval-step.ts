import type { Step } from "../../calls/call.ts";
import { type Outcome, failure } from "../../calls/outcome.ts";
import { workbenchError } from "../../errors.ts";
import { ContinuedCalls } from "../continued-calls.ts";
import type { StateFile } from "../state-file.ts";
import { ApprovalWaits } from "./approval-waits.ts";
import { type NeededApproval, standingOf } from "./manage-approvals.ts";
import { type ApprovalContext, NO_WAY_AROUND, neededFor, refused } from "./needed-approval.ts";
import { SessionGrants } from "./session-grants.ts";

/** Holds calls that the policy asks about until the user has answered. */
export function approvalStep(context: ApprovalContext, file: StateFile): Step {
  const grants = new SessionGrants();
  const continued = new ContinuedCalls();
  const waits = new ApprovalWaits(file, () => context.settings.approvals.waitMs);
  return async (call, next) => {
    const { decision, destination } = call;
    if (decision?.action !== "ask") return next();
    if (destination?.server === undefined) return failure(refused(call, "it has no server"));
    const needed = await neededFor(context, call, destination, decision);
    if ("kind" in needed) return needed;
    const send = async (approval: string | undefined, channel: string): Promise<Outcome> => {
      call.decision = { ...decision, action: "allow", approval, channel };
      const outcome = await next();
      continued.note(call, outcome, () => keyOf(needed));
      return outcome;
    };
    const allow = async (approval: string | undefined, channel: string): Promise<Outcome> => {
      // While the user was asked, the server may have changed the tool, or the user the configuration.
      const now = await neededFor(context, call, destination, decision);
      if ("kind" in now) return now;
      if (keyOf(now) === keyOf(needed)) return send(approval, channel);
      return failure(refused(call, "the tool, its server or the policy has changed"));
    };
    if (continued.take(call, () => keyOf(needed))) return send(undefined, "continued");
    if (grants.has(call, needed)) return send(undefined, "session");
    const first = await standingOf(file, needed);
    const standing = first.state === "pending" ? await waits.wait(call, needed, first) : first;
    if (standing.state === "allowed") {
      const { record, channel } = standing;
      if (record?.decision === "session") grants.add(call, needed);
      return allow(record?.id, channel);
    }
    if (standing.state === "full")
      return failure(refused(call, "too many calls wait for an answer of the user"));
    const { id, channel, reason } = standing.record;
    call.decision = { ...decision, action: "deny", approval: id, channel };
    const what = { ...destination.server.place, what: call.label };
    if (standing.state === "denied")
      return failure(
        workbenchError("POLICY_DENIED", { ...what, reason: "the user denied it" }, NO_WAY_AROUND),
      );
    const hint = `Approval ${id} is waiting for the user: mcp-workbench approve ${id}. After that, make exactly the same call again. ${NO_WAY_AROUND}`;
    return failure(workbenchError("APPROVAL_REQUIRED", { ...what, reason }, hint));
  };
}

/** What is approved, in all its parts. */
function keyOf({ principal, toolbox, server, tool, ...needed }: NeededApproval): string {
  const { identity, policy, definition, arguments: args } = needed;
  return JSON.stringify([principal, toolbox, server, tool, identity, policy, definition, args]);
}
