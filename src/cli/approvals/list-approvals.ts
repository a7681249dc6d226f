import {
  alwaysAllowed,
  pendingApprovals,
  watchApprovals,
} from "../../access/approvals/manage-approvals.ts";
import type { StateFile } from "../../access/state-file.ts";
import { EXIT } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { pause } from "../core/pause.ts";
import { allowedReport, approvalReport } from "../../access/approvals/approval-reports.ts";
import { showAllowed, showApproval } from "./show-approval.ts";
import { withApprovals } from "./with-approvals.ts";

const POLL_MS = 500;
/** Shorter than the time for which other processes take it for granted. */
const RENEW_MS = 5000;

/** `approvals`: the calls that wait for an answer of the user, and the tools that are always allowed. */
export function approvals(context: Context): Promise<number> {
  const run = context.args.flag("watch") ? watch : list;
  return withApprovals(context, (file) => run(context, file));
}

async function list({ out }: Context, file: StateFile): Promise<number> {
  const pending = pendingApprovals(file);
  const always = alwaysAllowed(file);
  out.document({ approvals: pending.map(approvalReport), always: always.map(allowedReport) });
  for (const record of pending) showApproval(record, out);
  const [first] = pending;
  if (first === undefined) out.say("No call waits for your approval.");
  else out.say(`\nAnswer with: mcp-workbench approve ${first.id}, or deny ${first.id}`);
  if (always[0] === undefined) return EXIT.ok;
  out.say("\nAlways allowed:");
  for (const allowed of always) showAllowed(allowed, out);
  out.say(`\nTo be asked again: mcp-workbench deny ${always[0].id}`);
  return EXIT.ok;
}

async function watch({ out, signal, endsOnSignal }: Context, file: StateFile): Promise<number> {
  endsOnSignal();
  out.say("Waiting for calls that need your approval. Press Ctrl-C to stop.");
  const seen = new Set<string>();
  let renewed = -Infinity;
  try {
    while (!signal.aborted) {
      if (performance.now() - renewed > RENEW_MS) {
        await watchApprovals(file, true);
        renewed = performance.now();
      }
      for (const record of pendingApprovals(file)) {
        if (seen.has(record.id)) continue;
        seen.add(record.id);
        if (out.json) out.document(approvalReport(record));
        else {
          showApproval(record, out);
          out.say(`  mcp-workbench approve ${record.id}    mcp-workbench deny ${record.id}`);
        }
      }
      await pause(POLL_MS, signal);
    }
  } finally {
    await watchApprovals(file, false);
  }
  return EXIT.ok;
}
