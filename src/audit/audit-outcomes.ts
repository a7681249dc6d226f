/** How a call can end, as the audit log states it. */
export const AUDIT_OUTCOMES = [
  "ok",
  "tool_error",
  "error",
  "denied",
  "cancelled",
  "timeout",
] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
