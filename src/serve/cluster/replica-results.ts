import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { ServerResponse as HttpResponse } from "node:http";

import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { ReplicaLease } from "../../cluster/replica-lease.ts";
import type { RemoteResult, RemoteResults, ResultOwner } from "../../results/result-store.ts";
import type { PeerClient } from "./peer-client.ts";
import { fetchFrom } from "./peer-fetch.ts";

/** Where replicas get stored results from each other; what is wanted follows, sealed. */
export const RESULT_PATH = "/.cluster/result/";
const PURPOSE = "stored result";

/** Six digits for the replica, eight for its results. */
const RESULTS_PER_REPLICA = 100_000_000;
const MIN_NUMBER = 100_000;
const NUMBERS = 900_000;
const REPLICA_ID = /^r(\d{6})\d{8}$/;

export interface ReplicaResultsOptions {
  readonly link: ClusterLink;
  readonly lease: ReplicaLease;
  readonly peers: PeerClient;
  /** The file of a result of this replica. */
  readonly fileOf: (owner: ResultOwner, id: string) => string | undefined;
}

/** Stored results of all replicas. Their ids say which one has them, and they go from one to another over HTTP. */
export class ReplicaResults implements RemoteResults {
  readonly firstId: number;
  readonly #options: ReplicaResultsOptions;
  readonly #own: number;

  constructor(options: ReplicaResultsOptions) {
    this.#options = options;
    this.#own = numberOf(options.link.replica);
    this.firstId = this.#own * RESULTS_PER_REPLICA;
  }

  isRemote(id: string): boolean {
    const number = REPLICA_ID.exec(id)?.[1];
    return number !== undefined && Number(number) !== this.#own;
  }

  async fetch(owner: ResultOwner, id: string, maxBytes: number): Promise<RemoteResult | undefined> {
    const { link, lease, peers } = this.#options;
    const number = Number(REPLICA_ID.exec(id)?.[1]);
    const { principal, client, epoch } = owner;
    const wanted = JSON.stringify({ principal, client, epoch, id });
    const others = (): [string, string][] =>
      [...lease.peers].filter(([peer]) => numberOf(peer) === number);
    // It may have started a moment ago.
    if (others().length === 0) await lease.renew();
    for (const [peer, address] of others()) {
      const path = RESULT_PATH + link.seal(wanted, PURPOSE);
      const found = await fetchFrom(peers, { id: peer, address }, path, maxBytes);
      if (found?.status === 200) return { content: found.content, isJson: undefined };
    }
    return undefined;
  }

  /** Answers another replica. */
  answer(path: string, response: HttpResponse): void {
    const wanted = this.#options.link.open(path.slice(RESULT_PATH.length), PURPOSE);
    const { id = "", ...owner } = JSON.parse(wanted ?? "{}") as Partial<ResultOwner> & {
      id?: string;
    };
    const { principal, client, epoch } = owner;
    const isWhole = principal !== undefined && client !== undefined;
    const file = isWhole ? this.#options.fileOf({ principal, client, epoch }, id) : undefined;
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const content = createReadStream(file);
    content.on("error", () => response.destroy());
    content.once("open", () => response.writeHead(200));
    content.pipe(response);
  }
}

function numberOf(replica: string): number {
  const digest = createHash("sha256").update(replica).digest();
  return MIN_NUMBER + (digest.readUInt32BE(0) % NUMBERS);
}
