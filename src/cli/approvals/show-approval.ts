import type { AlwaysAllowed, ApprovalRecord } from "../../access/approvals/approval-record.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Output } from "../output/output.ts";

/** A question for people. */
export function showApproval(record: ApprovalRecord, out: Output): void {
  const { id, client, toolbox, server, tool, shown, reason } = record;
  const { bold, cyan, dim } = out.style;
  const name = `${toolbox}/${server}/${safeLine(tool)}`;
  out.print(`${bold(id)}  ${cyan(name)}  ${dim(`for ${safeLine(client)}`)}`);
  for (const line of shown) out.print(`  ${safeLine(line)}`, "    ");
  out.print(dim(`  ${safeLine(reason)}`), "    ");
}

/** A tool that is always allowed, for people. */
export function showAllowed(allowed: AlwaysAllowed, out: Output): void {
  const { id, client, toolbox, server, tool, argumentsHash } = allowed;
  const { bold, cyan, dim } = out.style;
  const only = argumentsHash === undefined ? "" : ", with the same arguments only";
  const name = `${toolbox}/${server}/${safeLine(tool)}`;
  out.print(`${bold(id)}  ${cyan(name)}  ${dim(`for ${safeLine(client)}${only}`)}`);
}
