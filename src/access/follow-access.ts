import type { ClusterLink } from "../cluster/cluster-link.ts";
import type { Logger } from "../log.ts";
import { APPROVALS_FORMAT } from "./approvals/approvals-file.ts";
import { followSharedFile } from "./follow-shared-file.ts";
import { sharedFile } from "./shared-files.ts";
import { type SharedFormat, syncSharedFile } from "./state-file.ts";
import { TOKEN_FORMAT } from "./tokens/token-file.ts";

export { approvalsFile } from "./approvals/approvals-file.ts";
export { tokenFile } from "./tokens/token-file.ts";

/**
 * Keeps the access tokens and approvals of this machine the same as those of the other replicas, as long as the link is
 * open. Resolves when they have been compared for the first time.
 */
export async function followAccess(
  files: { readonly tokens: string; readonly approvals: string },
  link: ClusterLink,
  log: Logger,
): Promise<void> {
  const follow = async <T>(
    path: string,
    name: "tokens" | "approvals",
    format: SharedFormat<T>,
  ): Promise<void> => {
    const file = sharedFile(path, name, link, (problem) => log.error(problem));
    const sync = (): Promise<void> => syncSharedFile(file, format);
    followSharedFile({ path, sync, follow: (onChange) => file.shared.follow(onChange) }, log);
    // The follower reports its problems.
    await sync().catch(() => undefined);
  };
  await Promise.all([
    follow(files.tokens, "tokens", TOKEN_FORMAT),
    follow(files.approvals, "approvals", APPROVALS_FORMAT),
  ]);
}
