import { createHash } from "node:crypto";

import type { ClientCall, Step } from "../../calls/call.ts";
import type { Decision } from "../../calls/decision.ts";
import type { OnServer } from "../../calls/destination.ts";
import { type Outcome, failure } from "../../calls/outcome.ts";
import { sentArguments } from "../../calls/request-text.ts";
import { serverIdentity } from "../../config/server-identity.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { workbenchError } from "../../errors.ts";
import { definitionHash } from "../../pins/definition-hash.ts";
import { ApprovalWaits } from "./approval-waits.ts";
import { type NeededApproval, standingOf } from "./manage-approvals.ts";
import { SessionGrants } from "./session-grants.ts";
import { shownArguments } from "./shown-arguments.ts";

export interface ApprovalContext {
  readonly settings: WorkbenchSettings;
  readonly host: { readonly redact: (text: string) => string };
}

/** Holds calls that the policy asks about until the user has answered. */
export function approvalStep(context: ApprovalContext, file: string): Step {
  const grants = new SessionGrants();
  const waits = new ApprovalWaits(file, () => context.settings.approvals.waitMs);
  return async (call, next) => {
    const { decision, destination } = call;
    if (decision?.action !== "ask") return next();
    if (destination?.server === undefined) return failure(refused(call, "it has no server"));
    const needed = neededFor(context, call, destination, decision);
    if (typeof needed === "string") return failure(refused(call, needed));
    const allow = (approval: string | undefined, channel: string): Promise<Outcome> => {
      call.decision = { ...decision, action: "allow", approval, channel };
      // While the user was asked, the server may have changed the tool, or the user the policy.
      const now = neededFor(context, call, destination, decision);
      const isSame =
        typeof now !== "string" &&
        now.definition === needed.definition &&
        now.identity === needed.identity &&
        now.policy === needed.policy;
      const changed = "the tool, its server or the policy has changed";
      return isSame ? next() : Promise.resolve(failure(refused(call, changed)));
    };
    if (grants.has(call, needed)) return allow(undefined, "session");
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

const NO_WAY_AROUND = "Do not look for another way";

function refused(call: ClientCall, reason: string): Error {
  const place = call.destination?.server?.place ?? { toolbox: "", server: "" };
  return workbenchError("APPROVAL_REQUIRED", { ...place, what: call.label, reason }, NO_WAY_AROUND);
}

/** What the user has to approve; a text if that cannot be determined. */
function neededFor(
  { settings, host }: ApprovalContext,
  call: ClientCall,
  destination: OnServer,
  { reason, rule, isAboutArguments = false }: Decision,
): NeededApproval | string {
  const { place } = destination.server;
  const server = settings.toolboxes.get(place.toolbox)?.servers.get(place.server);
  const route = call.caller.connectionTo(destination.server);
  const name = destination.tool?.name ?? call.subject;
  const tool = route?.catalogue.tools.get(name);
  if (tool === undefined || server === undefined) return "its server is not connected";
  const at = destination.tool === undefined ? "params.arguments" : destination.argumentsAt;
  const args = sentArguments(call.request, at, tool.pinned);
  return {
    principal: call.principal.id,
    client: call.principal.name,
    ...place,
    tool: name,
    // Values that it inherits, such as the address of an agent for keys, may differ in every terminal.
    identity: serverIdentity(server, settings.file, {}),
    arguments: args,
    shown: shownArguments(args, host.redact),
    reason: reason ?? `see ${rule ?? "policy"} in the configuration`,
    isAboutArguments,
    policy: policyHash(settings, place),
    definition: `${tool.nameJson} ${definitionHash({ text: JSON.stringify(tool.value) })}`,
  };
}

function policyHash(
  { policy, toolboxes }: WorkbenchSettings,
  { toolbox, server }: OnServer["server"]["place"],
): string {
  const box = toolboxes.get(toolbox);
  const policies = JSON.stringify([policy, box?.policy, box?.servers.get(server)?.policy]);
  return createHash("sha256").update(policies).digest("base64url");
}
