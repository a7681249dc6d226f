import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { LEASE_MS } from "../../cluster/replica-lease.ts";
import { PeerClient } from "./peer-client.ts";
import { problemAt } from "./peer-problem.ts";

/**
 * Reports a `cluster.advertise` that does not lead to this replica. It still serves: its own clients do not need the
 * address, and a network may lead only others there.
 */
export class AddressCheck {
  readonly #link: ClusterLink;
  readonly #warn: (problem: string) => void;
  /** When another replica was first seen at the same address, by its id. */
  readonly #sameAddress = new Map<string, number>();
  #isReported = false;

  constructor(link: ClusterLink, warn: (problem: string) => void) {
    this.#link = link;
    this.#warn = warn;
  }

  /** Asks the replica at the own address who it is. */
  async run(): Promise<void> {
    const { replica: id, advertise: address } = this.#link;
    const peers = new PeerClient(this.#link);
    const problem = await problemAt(peers, { id, address });
    peers.close();
    if (problem !== undefined)
      this.#report(
        `this replica does not find itself at 'cluster.advertise' (${address}): ${problem}. Other replicas that do not reach it there answer 503 for its sessions`,
      );
  }

  /** Checks the replicas that have a lease now. One that has been replaced at its address loses its lease soon. */
  onPeers(peers: ReadonlyMap<string, string>): void {
    const now = performance.now();
    const { advertise } = this.#link;
    for (const id of this.#sameAddress.keys()) if (!peers.has(id)) this.#sameAddress.delete(id);
    for (const [id, address] of peers) {
      if (address !== advertise) continue;
      const since = this.#sameAddress.get(id) ?? now;
      this.#sameAddress.set(id, since);
      if (now - since > LEASE_MS)
        this.#report(
          `another replica has the same 'cluster.advertise' (${advertise}), so that neither is found. Each needs an address of its own`,
        );
    }
  }

  #report(problem: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#warn(problem);
  }
}
