import type { Step } from "../../calls/call.ts";
import type { Visibility } from "../../calls/visibility.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { Policy } from "./policy.ts";
import { policyStep } from "./policy-step.ts";

export interface PolicyEngine {
  readonly step: Step;
  readonly visibility: Visibility;
}

/** Applies the policy of a configuration, which may change. */
export function createPolicyEngine(context: {
  readonly settings: WorkbenchSettings;
}): PolicyEngine {
  let policy = new Policy(context.settings);
  const current = (): Policy => {
    if (policy.settings !== context.settings) policy = new Policy(context.settings);
    return policy;
  };
  return { step: policyStep(current), visibility: visibilityOf(current) };
}

/** A server that the configuration does not have is hidden. */
function visibilityOf(current: () => Policy): Visibility {
  return {
    hides: (principal, place) => current().of(place)?.hides(principal) ?? true,
    deniesOthers: (principal, place) => current().of(place)?.deniesOthers(principal) ?? true,
    onlyReads: (principal, place) => current().of(place)?.onlyReads(principal) ?? true,
    allowsAll: (principal, place) => current().of(place)?.allowsAll(principal) ?? false,
    seen: (principal, place, catalogue) =>
      current().of(place)?.seen(catalogue, principal) ?? { tools: new Map() },
  };
}
