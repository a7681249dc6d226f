import type { Step } from "../calls/call.ts";
import { hasPolicy } from "../config/has-policy.ts";
import type { RateLimit, WorkbenchSettings } from "../config/types.ts";
import { type LateAudit, auditStep } from "./late-audit.ts";
import type { AccessGate } from "./access-gate.ts";
import type { WorkbenchHost } from "./workbench-host.ts";

/** What steps may use. The settings change when the configuration does, so read them for each call. */
export interface StepContext {
  readonly host: WorkbenchHost;
  readonly settings: WorkbenchSettings;
  readonly pipeline: { readonly audit: LateAudit; readonly access: AccessGate };
}

/** A step that exists, and is loaded, only if the configuration uses it. */
export interface OptionalStep {
  readonly name: string;
  isUsed(settings: WorkbenchSettings): boolean;
  /** True if calls of principals that may only read pass it in any case. */
  readonly guardsReaders?: boolean;
  /** Called once, before the first call that passes the step. If it fails, that call fails. */
  load(context: StepContext): Promise<Step>;
}

/**
 * In the order in which a call passes them: the first step sees every call first and its outcome
 * last.
 */
export const OPTIONAL_STEPS: readonly OptionalStep[] = [
  {
    name: "audit",
    // Calls are recorded where they end (calls/settle.ts); the step only refuses them.
    isUsed: ({ audit }) => audit.required && audit.enabled !== false,
    load: ({ pipeline }) => Promise.resolve(auditStep(pipeline.audit)),
  },
  {
    name: "pins",
    isUsed: ({ pins }) => pins === "enforce",
    load: async ({ host }) => (await import("../pins/pins-bundle.ts")).pinStep(host.pins),
  },
  {
    name: "policy",
    isUsed: hasPolicy,
    guardsReaders: true,
    load: ({ pipeline }) => pipeline.access.loadedStep(),
  },
  {
    name: "rate limits",
    isUsed: ({ rateLimits }) => rateLimits.length > 0,
    load: async (context) => {
      const { rateLimitStep, sharedRateLimitStep } =
        await import("../access/rate-limits/rate-limit-step.ts");
      const { cluster } = context.host;
      const settings = (): readonly RateLimit[] => context.settings.rateLimits;
      return cluster === undefined
        ? rateLimitStep(settings)
        : sharedRateLimitStep(settings, cluster);
    },
  },
  {
    // Wherever a policy may ask, so that no call can pass without an answer.
    name: "approval",
    isUsed: hasPolicy,
    load: async (context) => {
      const { approvalStep, approvalsFile, stateFile } =
        await import("../access/approvals/approval-bundle.ts");
      const { cluster, log } = context.host;
      const report = (problem: string): void => log.error(problem);
      return approvalStep(context, stateFile(approvalsFile(), "approvals", cluster, report));
    },
  },
];
