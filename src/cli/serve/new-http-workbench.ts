import type { WorkbenchSettings } from "../../config/types.ts";
import { Workbench } from "../../workbench/workbench.ts";

/** The workbench for clients over HTTP, connected to its other replicas if there are any. */
export async function newHttpWorkbench(settings: WorkbenchSettings): Promise<Workbench> {
  const { cluster, warnings } = settings;
  const link = cluster && (await import("../../cluster/redis-link.ts"));
  const workbench = new Workbench(settings, {
    auditsByDefault: true,
    recordsMetrics: true,
    openCluster: cluster && ((log) => link?.openClusterLink(cluster, "replica", log)),
  });
  for (const warning of warnings) workbench.host.log.warn(warning);
  await joinCluster(workbench.host, settings.file);
  return workbench;
}

/** Before clients are served, so that tokens of other replicas are known. */
async function joinCluster(
  { cluster, log }: Workbench["host"],
  file: string | undefined,
): Promise<void> {
  if (cluster === undefined) return;
  await cluster.started;
  const { approvalsFile, followAccess, tokenFile } = await import("../../access/follow-access.ts");
  await followAccess({ tokens: tokenFile(), approvals: approvalsFile() }, cluster, log);
  if (file === undefined) return;
  const { lockFileOf, shareLock } = await import("../../pins/share-lock.ts");
  await shareLock(lockFileOf(file), cluster, log);
}
