import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { ClusterSettings } from "../../config/types.ts";
import { NO_LOG } from "../../log.ts";

/**
 * The link of a command to the replicas, opened when it uses a server that must run once. It uses the process of the replica
 * that runs the server. If there is none, it has the right to start one until it ends.
 */
export class ReplicaUse {
  readonly #settings: ClusterSettings | undefined;
  #opening: Promise<ClusterLink> | undefined;

  constructor(settings: ClusterSettings | undefined) {
    this.#settings = settings;
  }

  link(): Promise<ClusterLink> {
    this.#opening ??= open(this.#settings);
    return this.#opening;
  }

  async close(): Promise<void> {
    const link = await this.#opening?.catch(() => undefined);
    await link?.close();
  }
}

async function open(settings: ClusterSettings | undefined): Promise<ClusterLink> {
  if (settings === undefined) throw new Error("there are no other replicas");
  const { openClusterLink } = await import("../../cluster/redis-link.ts");
  const link = openClusterLink(settings, "command", NO_LOG);
  await link.started;
  return link;
}
