import { DECISIONS } from "../../access/approvals/approval-record.ts";
import { allowedReport, approvalReport } from "../../access/approvals/approval-reports.ts";
import { approvalsFile } from "../../access/approvals/approvals-file.ts";
import {
  alwaysAllowed,
  answerApproval,
  pendingApprovals,
  withdrawAlways,
} from "../../access/approvals/manage-approvals.ts";
import { stateFile } from "../../access/shared-files.ts";
import type { StateFile } from "../../access/state-file.ts";
import { thisMachine } from "../../config/directories.ts";
import type { DashboardContext } from "../context.ts";
import type { ApprovalLists } from "../contract.ts";
import { RequestError } from "../http/api-error.ts";
import { type Body, invalid, textIn } from "../http/body.ts";

const CHANNEL = "dashboard";

export function listApprovals(context: DashboardContext): ApprovalLists {
  const file = fileOf(context);
  return {
    pending: pendingApprovals(file).map(approvalReport),
    always: alwaysAllowed(file).map(allowedReport),
  };
}

/** Answers a question; the first answer counts. */
export async function answer(context: DashboardContext, body: Body): Promise<ApprovalLists> {
  const id = textIn(body, "id").toUpperCase();
  const decision = DECISIONS.find((one) => one === body.value["decision"]);
  if (decision === undefined) throw invalid(`'decision' must be one of: ${DECISIONS.join(", ")}`);
  const file = fileOf(context);
  const before = pendingApprovals(file).find((one) => one.id === id);
  const record = await answerApproval(file, id, decision, CHANNEL);
  if (record === undefined) throw gone("This call no longer waits for an answer");
  const isOurs = record.decision === decision && record.channel === CHANNEL;
  if (before === undefined || !isOurs)
    throw new RequestError(409, "conflict", `It was answered before: ${record.decision ?? ""}`);
  context.announce("approvals");
  return listApprovals(context);
}

/** Asks about a tool again that was always allowed. */
export async function withdraw(context: DashboardContext, body: Body): Promise<ApprovalLists> {
  const id = textIn(body, "id").toUpperCase();
  const file = fileOf(context);
  if ((await withdrawAlways(file, id)) === undefined) throw gone("This is not always allowed");
  context.announce("approvals");
  return listApprovals(context);
}

function fileOf({ env, workbench }: DashboardContext): StateFile {
  const { cluster, log } = workbench.host;
  const path = approvalsFile(thisMachine(env));
  return stateFile(path, "approvals", cluster, (problem) => log.error(problem));
}

function gone(message: string): RequestError {
  return new RequestError(404, "not-found", message);
}
