import { APPROVALS_FORMAT, approvalsFile } from "../../access/approvals/approvals-file.ts";
import { sharedFile } from "../../access/shared-files.ts";
import { type StateFile, syncSharedFile } from "../../access/state-file.ts";
import { followSharedFile } from "../../access/follow-shared-file.ts";
import { thisMachine } from "../../config/directories.ts";
import { NO_LOG } from "../../log.ts";
import { withCluster } from "../core/cluster.ts";
import type { Context } from "../core/command.ts";

/** Runs a command with the approvals of this machine, which are those of all replicas. */
export function withApprovals<T>(
  context: Context,
  work: (file: StateFile) => Promise<T>,
): Promise<T> {
  const path = approvalsFile(thisMachine(context.env));
  return withCluster(context, async (link) => {
    if (link === undefined) return work(path);
    const file = sharedFile(path, "approvals", link, (problem) => context.out.warn(problem));
    const sync = (): Promise<void> => syncSharedFile(file, APPROVALS_FORMAT);
    await sync();
    const follow = (onChange: () => void): (() => void) => file.shared.follow(onChange);
    const end = followSharedFile({ path, sync, follow }, NO_LOG);
    try {
      return await work(file);
    } finally {
      end();
    }
  });
}
