import type { PolicyAction, ToolClassName } from "../config/types.ts";

/** How dangerous a tool is. Without trusted information, a tool is destructive. */
export type ToolClass = ToolClassName;

/** What access control decided about a call, for the steps after it and for the audit log. */
export interface Decision {
  readonly action: PolicyAction;
  /** The rule that decided, such as `toolboxes.dev.policy.rules[2]`; undefined if none did. */
  readonly rule?: string | undefined;
  readonly reason?: string | undefined;
  /** Whether the rule applies only to some arguments. */
  readonly isAboutArguments?: boolean | undefined;
  readonly toolClass?: ToolClass | undefined;
  /** The id of the approval, and where it was answered. */
  readonly approval?: string | undefined;
  readonly channel?: string | undefined;
}
