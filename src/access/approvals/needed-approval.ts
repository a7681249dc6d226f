import { createHash } from "node:crypto";

import { type ClientCall, foundTools } from "../../calls/call.ts";
import type { Decision } from "../../calls/decision.ts";
import type { CallableTool, OnServer } from "../../calls/destination.ts";
import { type Outcome, failure } from "../../calls/outcome.ts";
import { sentArguments } from "../../calls/request-text.ts";
import { serverIdentity } from "../../config/server-identity.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { workbenchError } from "../../errors.ts";
import { definitionHash } from "../../pins/definition-hash.ts";
import { connected } from "../connected.ts";
import type { NeededApproval } from "./manage-approvals.ts";
import { shownArguments } from "./shown-arguments.ts";

export interface ApprovalContext {
  readonly settings: WorkbenchSettings;
  readonly host: { readonly redact: (text: string) => string };
}

export const NO_WAY_AROUND = "Do not look for another way";

export function refused(call: ClientCall, reason: string): Error {
  const place = call.destination?.server?.place ?? { toolbox: "", server: "" };
  return workbenchError("APPROVAL_REQUIRED", { ...place, what: call.label, reason }, NO_WAY_AROUND);
}

/** What the user has to approve; the outcome of the call if that cannot be determined. */
export async function neededFor(
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
  if (!foundTools(route, destination).tools.has(name)) await destination.server.whenListed(route);
  const tool = foundTools(route, destination).tools.get(name);
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
