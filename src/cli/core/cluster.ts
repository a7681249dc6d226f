import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { parseConfig, readUntrusted } from "../../config/load.ts";
import { locateConfig } from "../../config/locate.ts";
import { trustOf } from "../../config/trust/trust.ts";
import type { ClusterSettings } from "../../config/types.ts";
import { isWorkbenchError, reasonOf } from "../../errors.ts";
import { NO_LOG } from "../../log.ts";
import type { Context } from "./command.ts";

type ClusterContext = Pick<Context, "args" | "env" | "cwd" | "out">;

/** Runs a command that reads or changes what replicas share, with the link to them if the configuration has a cluster. */
export async function withCluster<T>(
  context: ClusterContext,
  work: (link: ClusterLink | undefined) => Promise<T>,
): Promise<T> {
  return withLink(context, await clusterOf(context), work);
}

/** The same with settings that are known already. */
export async function withLink<T>(
  { out }: Pick<Context, "out">,
  settings: ClusterSettings | undefined,
  work: (link: ClusterLink | undefined) => Promise<T>,
): Promise<T> {
  if (settings === undefined) return work(undefined);
  const { openClusterLink } = await import("../../cluster/redis-link.ts");
  const link = openClusterLink(settings, "command", NO_LOG);
  try {
    await link.started;
    if (!link.isUp)
      out.warn(
        "Redis is not reachable, so this is about this machine only. A replica that runs here tells the others when it reaches Redis",
      );
    return await work(link);
  } finally {
    await link.close();
  }
}

/** A configuration that is missing, cannot be read or is not trusted must not keep the user from revoking something here. */
export async function clusterOf(context: ClusterContext): Promise<ClusterSettings | undefined> {
  const { args, env, cwd, out } = context;
  const named = args.text("config");
  try {
    const found = readUntrusted(locateConfig({ file: named, env, cwd }));
    // Most configurations have none, and need not be checked.
    if (!found.text.includes("cluster")) return undefined;
    if (found.fromCurrentFolder && trustOf(found, env) !== "trusted") return undefined;
    const { secrets, cluster } = await parseConfig(found.text, { file: found.file, env });
    out.hide(secrets);
    return cluster;
  } catch (error) {
    const isAbsent = isWorkbenchError(error) && error.code === "CONFIG_NOT_FOUND";
    if (named !== undefined) throw error;
    if (!isAbsent) out.warn(`Other replicas are not reached: ${reasonOf(error)}`);
    return undefined;
  }
}
