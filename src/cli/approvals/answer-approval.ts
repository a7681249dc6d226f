import type { ApprovalDecision } from "../../access/approvals/approval-record.ts";
import { approvalsFile } from "../../access/approvals/approvals-file.ts";
import { answerApproval, pendingApprovals } from "../../access/approvals/manage-approvals.ts";
import { thisMachine } from "../../config/directories.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { showApproval } from "./show-approval.ts";

/** `approve ID` */
export function approve(context: Context): Promise<number> {
  const { args } = context;
  const [session, always] = [args.flag("session"), args.flag("always")];
  if (session && always)
    throw workbenchError("USAGE", { reason: "--session and --always cannot be combined" });
  return answer(context, session ? "session" : always ? "always" : "once");
}

/** `deny ID` */
export function deny(context: Context): Promise<number> {
  return answer(context, "deny");
}

const QUESTIONS: Readonly<Record<ApprovalDecision, string>> = {
  once: "Allow this call once?",
  session: "Allow this tool until the client disconnects?",
  always: "Always allow this tool for this client?",
  deny: "Deny this call?",
};

async function answer(context: Context, decision: ApprovalDecision): Promise<number> {
  const { args, env, out, prompt } = context;
  const file = approvalsFile(thisMachine(env));
  const id = (args.words[0] ?? "").toUpperCase();
  const record = pendingApprovals(file).find((one) => one.id === id);
  if (record === undefined) throw noSuchApproval(id);
  if (!args.flag("yes")) {
    if (!prompt.available)
      throw workbenchError("USAGE", { reason: "Without a terminal, --yes is required" });
    showApproval(record, out);
    if (!(await prompt.confirm(QUESTIONS[decision], false))) {
      out.say("Nothing was changed.");
      return EXIT.ok;
    }
  }
  const answered = await answerApproval(file, id, decision, "terminal");
  if (answered === undefined) throw noSuchApproval(id);
  const { tool, decision: counts } = answered;
  out.document({ id, tool, decision: counts });
  const mark = out.noteStyle.green("✓");
  out.say(
    counts === decision
      ? `${mark} ${decision === "deny" ? "Denied" : "Allowed"}: ${safeLine(tool)}`
      : `It was answered before: ${counts ?? ""}`,
  );
  return counts === decision ? EXIT.ok : EXIT.unexpected;
}

function noSuchApproval(id: string): Error {
  const reason = `No call with the id '${safeLine(id)}' waits for your approval`;
  return workbenchError("USAGE", { reason }, "See: mcp-workbench approvals");
}
