import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { CredentialMode } from "../../config/types.ts";
import { openSharedStore } from "../../credentials/shared-store.ts";
import { type SignIns, type SignInOptions, createSignIns } from "../../sign-in/sign-ins.ts";

/** The sign-ins of this user, with everything they need. Loaded when a server needs one. */
export function openSignIns(
  mode: () => CredentialMode,
  options: Pick<SignInOptions, "log" | "redactValues"> & {
    readonly cluster?: ClusterLink | undefined;
  },
): SignIns {
  const { cluster, log } = options;
  const report = (problem: string): void => log.warn(`stored sign-ins: ${problem}`);
  const store = openSharedStore({ mode, env: process.env }, cluster, report);
  return createSignIns({ ...options, store });
}
