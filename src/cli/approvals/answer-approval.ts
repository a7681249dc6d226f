import type { AlwaysAllowed, ApprovalDecision } from "../../access/approvals/approval-record.ts";
import {
  alwaysAllowed,
  answerApproval,
  pendingApprovals,
  withdrawAlways,
} from "../../access/approvals/manage-approvals.ts";
import type { StateFile } from "../../access/state-file.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { showAllowed, showApproval } from "./show-approval.ts";
import { withApprovals } from "./with-approvals.ts";

/** `approve ID` */
export function approve(context: Context): Promise<number> {
  const { args } = context;
  const [session, always] = [args.flag("session"), args.flag("always")];
  if (session && always)
    throw workbenchError("USAGE", { reason: "--session and --always cannot be combined" });
  const decision = session ? "session" : always ? "always" : "once";
  return withApprovals(context, (file) => answer(context, file, decision));
}

/** `deny ID`: answers a question, or takes back that a tool is always allowed. */
export function deny(context: Context): Promise<number> {
  const id = (context.args.words[0] ?? "").toUpperCase();
  return withApprovals(context, async (file) => {
    const allowed = alwaysAllowed(file).find((one) => one.id === id);
    return allowed === undefined ? answer(context, file, "deny") : withdraw(context, file, allowed);
  });
}

const QUESTIONS: Readonly<Record<ApprovalDecision, string>> = {
  once: "Allow this call once?",
  session: "Allow this tool until the client disconnects?",
  always: "Always allow this tool for this client?",
  deny: "Deny this call?",
};

async function answer(
  context: Context,
  file: StateFile,
  decision: ApprovalDecision,
): Promise<number> {
  const { args, out } = context;
  const id = (args.words[0] ?? "").toUpperCase();
  const record = pendingApprovals(file).find((one) => one.id === id);
  if (record === undefined) throw noSuchApproval(id);
  const show = (): void => showApproval(record, out);
  if (!(await isConfirmed(context, show, QUESTIONS[decision]))) return EXIT.ok;
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

async function withdraw(
  context: Context,
  file: StateFile,
  allowed: AlwaysAllowed,
): Promise<number> {
  const { out } = context;
  const show = (): void => showAllowed(allowed, out);
  if (!(await isConfirmed(context, show, "Be asked about it again?"))) return EXIT.ok;
  const { id, tool } = allowed;
  if ((await withdrawAlways(file, id)) === undefined) throw noSuchApproval(id);
  out.document({ id, tool, decision: "deny" });
  out.say(`${out.noteStyle.green("✓")} No longer always allowed: ${safeLine(tool)}`);
  return EXIT.ok;
}

/** Asks in the terminal; without one, `--yes` is required. */
async function isConfirmed(
  { args, out, prompt }: Context,
  show: () => void,
  question: string,
): Promise<boolean> {
  if (args.flag("yes")) return true;
  if (!prompt.available)
    throw workbenchError("USAGE", { reason: "Without a terminal, --yes is required" });
  show();
  const isYes = await prompt.confirm(question, false);
  if (!isYes) out.say("Nothing was changed.");
  return isYes;
}

function noSuchApproval(id: string): Error {
  const reason = `No call with the id '${safeLine(id)}' waits for your approval`;
  return workbenchError("USAGE", { reason }, "See: mcp-workbench approvals");
}
