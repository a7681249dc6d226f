import { setTimeout as delay } from "node:timers/promises";

import type { WorkbenchSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import { NO_LOG } from "../../log.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { openClusterLink } from "../../cluster/redis-link.ts";
import { LEASE_MS, liveReplicas } from "../../cluster/replica-lease.ts";
import { PeerClient } from "../../serve/cluster/peer-client.ts";
import { problemAt } from "../../serve/cluster/peer-problem.ts";
import type { Check, Findings } from "./check.ts";

const area = "config";

/** Checks what replicas need: a Redis that takes changes, and for each that runs an address that leads to it. */
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
  if (connects) await checkRedis(cluster, findings);
}

async function checkRedis(
  cluster: NonNullable<WorkbenchSettings["cluster"]>,
  findings: Findings,
): Promise<void> {
  const subject = "cluster.redis";
  let problem = "it does not answer";
  const log = { ...NO_LOG, warn: (text: string) => void (problem = text) };
  try {
    const link = openClusterLink(cluster, "command", log);
    try {
      await link.started;
      if (link.isUp) {
        findings.add({
          area,
          subject,
          status: "ok",
          message: "Redis is reachable and takes changes",
        });
        await checkReplicas(link, findings);
        return;
      }
    } finally {
      await link.close();
    }
  } catch (error) {
    problem = reasonOf(error);
  }
  const message = problem.replace(". This replica continues without the others", "");
  const fix = "Correct cluster.redis, or start Redis; until then, replicas share nothing";
  findings.add({ area, subject, status: "error", message, fix });
}

type Finding = Pick<Check, "status" | "message" | "fix">;

/** Asks all replicas that run, at the addresses that they give each other. */
export async function checkReplicas(link: ClusterLink, findings: Findings): Promise<void> {
  let found = await replicaProblems(link);
  if (found.problems.length > 0) {
    // One that has just ended without a farewell still has a lease.
    await delay(LEASE_MS);
    found = await replicaProblems(link);
  }
  const { count, problems } = found;
  for (const problem of problems) findings.add({ area, subject: "cluster.advertise", ...problem });
  if (problems.length > 0) return;
  const message = count === 0 ? "none is running" : `${count} running, each found at its address`;
  findings.add({ area, subject: "replicas", status: "ok", message });
}

async function replicaProblems(
  link: ClusterLink,
): Promise<{ readonly count: number; readonly problems: readonly Finding[] }> {
  const replicas = Array.from(await liveReplicas(link), ([id, address]) => ({ id, address }));
  const peers = new PeerClient(link);
  const reasons = await Promise.all(replicas.map((replica) => problemAt(peers, replica)));
  peers.close();
  const byAddress = new Map<string, Finding>();
  for (const [i, { address }] of replicas.entries()) {
    const reason = reasons[i];
    if (replicas.filter((other) => other.address === address).length > 1)
      byAddress.set(address, {
        status: "error",
        message: `several replicas have the address ${address}, so that the others do not find them`,
        fix: "Give each replica a cluster.advertise of its own",
      });
    else if (reason !== undefined)
      byAddress.set(address, {
        status: "warning",
        message: `a replica is not found from here at ${address}: ${reason}`,
        fix: "Correct its cluster.advertise, unless only the other replicas can reach it there",
      });
  }
  return { count: replicas.length, problems: [...byAddress.values()] };
}
