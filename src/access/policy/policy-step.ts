import { type ClientCall, type Route, type Step, foundTools } from "../../calls/call.ts";
import { toolNotFound } from "../../calls/call-errors.ts";
import type { Decision } from "../../calls/decision.ts";
import type { ArgumentsAt, OnServer } from "../../calls/destination.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { type Outcome, failure } from "../../calls/outcome.ts";
import { sentArguments } from "../../calls/request-text.ts";
import { onlyReadsAt } from "../../calls/principal.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { connected } from "../connected.ts";
import type { Policy, ServerPolicy } from "./policy.ts";
import type { Verdict } from "./verdict.ts";

/** Decides about every call to a server. `current` returns the policy in force. */
export function policyStep(current: () => Policy): Step {
  return async (call, next) => {
    const { destination } = call;
    if (destination?.server === undefined) return next();
    const { place } = destination.server;
    const policy = current().of(place);
    if (policy === undefined || policy.hides(call.principal))
      return failure(workbenchError("SERVER_NOT_FOUND", place));
    if (policy.allowsAll(call.principal)) return next();
    const tool = toolOf(call, destination);
    const refused =
      tool === undefined
        ? refusedMethod(call, destination, policy)
        : await decideOnTool(call, destination, tool, policy);
    return refused ?? next();
  };
}

/** The tool that a call is for, also if it is sent on without being looked up. */
function toolOf(
  { method, subject }: ClientCall,
  { server, tool }: OnServer,
): ToolIdentifier | undefined {
  return tool ?? (method === "tools/call" ? { ...server.place, name: subject } : undefined);
}

/** Methods about a client's own calls, and those that do not reach what a server offers. */
const FREE_METHODS =
  /^(?:tasks\/(?:list|get|result|cancel|update)|logging\/setLevel|ping|tools\/list|server\/discover)$/;

/** Methods that change nothing on a server. What a method of its own does, only the server knows. */
const READING_METHODS: ReadonlySet<string> = new Set([
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "completion/complete",
  "skills/list",
  "skills/get",
  "resources/directory/read",
]);

function refusedMethod(
  { method, label, principal }: ClientCall,
  { server }: OnServer,
  policy: ServerPolicy,
): Outcome | undefined {
  const changes = !FREE_METHODS.test(method) && !READING_METHODS.has(method);
  if (changes && policy.onlyReads(principal)) {
    const isReader = onlyReadsAt(principal, server.place);
    const reason = isReader ? "this client may only read" : "it may change something";
    return failure(workbenchError("POLICY_DENIED", { ...server.place, what: label, reason }));
  }
  if (FREE_METHODS.test(method) || !policy.deniesOthers(principal)) return undefined;
  const reason = "only tools of this server are allowed";
  return failure(workbenchError("POLICY_DENIED", { ...server.place, what: label, reason }));
}

/** Decides about a call of a tool; returns its outcome unless it may continue. */
async function decideOnTool(
  call: ClientCall,
  destination: OnServer,
  tool: ToolIdentifier,
  policy: ServerPolicy,
): Promise<Outcome | undefined> {
  const { principal } = call;
  const route = await connected(call, destination);
  if ("kind" in route) return route;
  const find = (): Verdict | undefined =>
    policy.verdict(foundTools(route, destination), tool.name, principal);
  let verdict = find();
  if (verdict === undefined || verdict.isHidden) {
    // A tool that is not listed may be in a list that is on its way. For one that is hidden, the client
    // waits as long as for one that does not exist.
    await destination.server.whenListed(route);
    verdict = find();
  }
  if (verdict === undefined || verdict.isHidden) {
    if (verdict !== undefined) call.decision = verdict.fixed ?? verdict.decide("{}");
    return failure(notFound(tool, route, policy, call));
  }
  const decision = verdict.fixed ?? verdict.decide(argumentsOf(call, destination, route, tool));
  const callable = foundTools(route, destination).tools.get(tool.name);
  const refused = callable && destination.refusal?.(callable);
  if (refused !== undefined) return failure(refused);
  call.decision = decision;
  // The user is asked in a later step.
  return decision.action === "deny" ? failure(denied(decision, call, destination)) : undefined;
}

function argumentsOf(
  { request }: ClientCall,
  destination: OnServer & { readonly argumentsAt?: ArgumentsAt },
  route: Route,
  { name }: ToolIdentifier,
): string {
  const { pinned } = foundTools(route, destination).tools.get(name) ?? {};
  return sentArguments(request, destination.argumentsAt ?? "params.arguments", pinned);
}

/** The same error as for a tool that does not exist, with the names that the principal sees. */
function notFound(
  tool: ToolIdentifier,
  { catalogue }: Route,
  policy: ServerPolicy,
  { principal }: ClientCall,
): WorkbenchError {
  return toolNotFound(tool, { catalogue: policy.seen(catalogue, principal) });
}

const NO_WAY_AROUND = "Only the user can change that. Do not look for another way";

function denied(
  { reason, rule }: Decision,
  { label }: ClientCall,
  { server: { place } }: OnServer,
): WorkbenchError {
  const why = reason ?? `see ${rule ?? "policy"} in the configuration`;
  const what = { ...place, what: label, reason: why };
  return workbenchError("POLICY_DENIED", what, NO_WAY_AROUND);
}
