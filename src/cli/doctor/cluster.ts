import type { WorkbenchSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import { NO_LOG } from "../../log.ts";
import { openClusterLink } from "../../cluster/redis-link.ts";
import type { Check, Findings } from "./check.ts";

const area = "config";

/** Checks what replicas need: a Redis that takes changes, and an address that leads to this one. */
export async function checkCluster(
  { cluster, http, file }: WorkbenchSettings,
  connects: boolean,
  findings: Findings,
): Promise<void> {
  if (cluster === undefined) return;
  const { advertise } = cluster;
  if (http.tls !== undefined && /^http:/i.test(advertise))
    findings.add({
      area,
      subject: "cluster.advertise",
      status: "error",
      message: "with 'http.tls', the other replicas cannot reach it at an address with http://",
      fix: `Use https:// and a name in the certificate (cluster.advertise in ${file})`,
    });
  if (connects) findings.add({ area, subject: "cluster.redis", ...(await redisState(cluster)) });
}

async function redisState(
  cluster: NonNullable<WorkbenchSettings["cluster"]>,
): Promise<Pick<Check, "status" | "message" | "fix">> {
  let problem = "it does not answer";
  const log = { ...NO_LOG, warn: (text: string) => void (problem = text) };
  try {
    const link = openClusterLink(cluster, "command", log);
    await link.started;
    const { isUp } = link;
    await link.close();
    if (isUp) return { status: "ok", message: "Redis is reachable and takes changes" };
  } catch (error) {
    problem = reasonOf(error);
  }
  const message = problem.replace(". This replica continues without the others", "");
  const fix = "Correct cluster.redis, or start Redis; until then, replicas share nothing";
  return { status: "error", message, fix };
}
