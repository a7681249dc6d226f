import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { CredentialMode, OAuthSettings } from "../../config/types.ts";
import { openSharedStore } from "../../credentials/shared-store.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { createSignIns } from "../../sign-in/sign-ins.ts";

export interface EndUserOptions {
  readonly mode: () => CredentialMode;
  readonly cluster: ClusterLink | undefined;
  readonly log: Logger;
  readonly redactValues: (values: readonly string[]) => void;
}

/**
 * Signs a user who no longer exists out of all servers. No other user could use these sign-ins, so a problem with
 * them is only logged.
 */
export async function endSignInsOf(
  userId: string,
  { mode, cluster, log, redactValues }: EndUserOptions,
): Promise<void> {
  const report = (problem: string): void => log.warn(`stored sign-ins: ${problem}`);
  const store = openSharedStore({ mode, env: process.env }, cluster, report);
  const signIns = createSignIns({ store, log, redactValues });
  try {
    for (const stored of await store.list()) {
      if (!("record" in stored) || stored.record.user?.id !== userId) continue;
      const { url, account, user } = stored.record;
      const oauth: OAuthSettings = { account, user, grant: "authorization_code" };
      await signIns.of({ url, oauth, place: { toolbox: "", server: "" } }).logout();
    }
  } catch (error) {
    log.warn(`the sign-ins of a user could not be deleted: ${reasonOf(error)}`);
  } finally {
    await signIns.close();
  }
}
