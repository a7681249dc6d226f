import { AUDIT_OUTCOMES } from "../../audit/audit-outcomes.ts";
import type { DashboardContext } from "../context.ts";
import {
  type CallDetail,
  type CallPage,
  type CallState,
  FAILED_STATES,
  type LiveCall,
} from "../contract.ts";
import { RequestError } from "../http/api-error.ts";
import { type Query, matches, pageOf } from "../http/query.ts";

const STATES: readonly (CallState | "failed")[] = ["running", ...AUDIT_OUTCOMES, "failed"];

/** The calls since a dashboard was opened, the most recent first. */
export function listCalls({ calls }: DashboardContext, query: Query): CallPage {
  const state = query.choice("state", STATES);
  const words = query.text("q");
  const found = calls.all.filter(
    (call) => isIn(state, call) && matches(words, ...namesOf(call), call.method),
  );
  return { ...pageOf(found, query, (call) => call), since: new Date(calls.since).toISOString() };
}

function isIn(state: CallState | "failed" | undefined, call: LiveCall): boolean {
  if (state === undefined) return true;
  return state === "failed" ? FAILED_STATES.includes(call.state) : call.state === state;
}

function namesOf({ toolbox, server, subject, principal, client }: LiveCall): string[] {
  return [`${toolbox ?? ""}/${server ?? ""}/${subject}`, principal.name, client?.name ?? ""];
}

export function showCall({ calls }: DashboardContext, query: Query): CallDetail {
  const found = calls.find(query.required("id"));
  if (found !== undefined) return found;
  throw new RequestError(404, "not-found", "This call is no longer kept");
}
