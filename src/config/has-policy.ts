import type { PolicySettings, WorkbenchSettings } from "./types.ts";

/** Whether a configuration restricts what clients may call. */
export function hasPolicy({ policy, toolboxes }: WorkbenchSettings): boolean {
  if (restricts(policy)) return true;
  for (const { policy: own, servers } of toolboxes.values()) {
    if (restricts(own)) return true;
    for (const server of servers.values()) if (restricts(server.policy)) return true;
  }
  return false;
}

function restricts(policy: PolicySettings | undefined): boolean {
  if (policy === undefined) return false;
  const { readOnly, rules, default: fallback } = policy;
  return readOnly || fallback !== "allow" || rules.some(({ action }) => action !== "allow");
}
