import type { AlwaysAllowed, ApprovalRecord } from "./approval-record.ts";

/** A question, as `--json` and the dashboard show it. */
export interface ApprovalReport {
  readonly id: string;
  readonly client: string;
  readonly toolbox: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: readonly string[];
  readonly reason: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** A tool that is always allowed. */
export interface AllowedReport {
  readonly id: string;
  readonly client: string;
  readonly toolbox: string;
  readonly server: string;
  readonly tool: string;
  readonly sameArgumentsOnly: boolean;
}

export function approvalReport(record: ApprovalRecord): ApprovalReport {
  const { id, client, toolbox, server, tool, shown, reason, createdAt, expiresAt } = record;
  const time = (ms: number): string => new Date(ms).toISOString();
  const times = { createdAt: time(createdAt), expiresAt: time(expiresAt) };
  return { id, client, toolbox, server, tool, arguments: shown, reason, ...times };
}

export function allowedReport(allowed: AlwaysAllowed): AllowedReport {
  const { id, client, toolbox, server, tool, argumentsHash } = allowed;
  return { id, client, toolbox, server, tool, sameArgumentsOnly: argumentsHash !== undefined };
}
