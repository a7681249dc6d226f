import { createHash } from "node:crypto";

import type { ClientCall, Step } from "../../calls/call.ts";
import type { Decision } from "../../calls/decision.ts";
import type { CallableTool, OnServer } from "../../calls/destination.ts";
import { type Outcome, failure } from "../../calls/outcome.ts";
import { sentArguments } from "../../calls/request-text.ts";
import { serverIdentity } from "../../config/server-identity.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { workbenchError } from "../../errors.ts";
import { definitionHash } from "../../pins/definition-hash.ts";
import { connected } from "../connected.ts";
import { ContinuedCalls } from "../continued-calls.ts";
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

const NO_WAY_AROUND = "Do not look for another way";

function refused(call: ClientCall, reason: string): Error {
  const place = call.destination?.server?.place ?? { toolbox: "", server: "" };
  return workbenchError("APPROVAL_REQUIRED", { ...place, what: call.label, reason }, NO_WAY_AROUND);
}

/** What is approved, in all its parts. */
function keyOf({ principal, toolbox, server, tool, ...needed }: NeededApproval): string {
  const { identity, policy, definition, arguments: args } = needed;
  return JSON.stringify([principal, toolbox, server, tool, identity, policy, definition, args]);
}

/** What the user has to approve; the outcome of the call if that cannot be determined. */
async function neededFor(
  context: ApprovalContext,
  call: ClientCall,
  destination: OnServer,
  { reason, rule, isAboutArguments = false }: Decision,
): Promise<NeededApproval | Outcome> {
  const { place } = destination.server;
  // The server may have stopped while the user was asked.
  const route = await connected(call, destination);
  if ("kind" in route) return route;
  const name = destination.tool?.name ?? call.subject;
  if (!route.catalogue.tools.has(name)) await destination.server.whenListed(route);
  const tool = route.catalogue.tools.get(name);
  const { settings, host } = context;
  const server = settings.toolboxes.get(place.toolbox)?.servers.get(place.server);
  if (tool === undefined || server === undefined)
    return failure(refused(call, "its server no longer has it"));
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
    policy: policyHash(settings, server, tool),
    definition: `${tool.nameJson} ${definitionHash({ text: JSON.stringify(tool.value) })}`,
  };
}

/** Of all settings that decide whether the call is asked about. */
function policyHash(
  { policy, toolboxes }: WorkbenchSettings,
  { toolbox, policy: own, annotations, overrides }: ServerSettings,
  { nameJson }: CallableTool,
): string {
  const name = JSON.parse(nameJson) as string;
  const toolClass = Object.hasOwn(overrides, name) ? overrides[name]?.class : undefined;
  const parts = [policy, toolboxes.get(toolbox)?.policy, own, annotations, toolClass];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
