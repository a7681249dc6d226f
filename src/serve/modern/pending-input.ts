import { type Principal, askingReplica } from "../../calls/principal.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { newReplicaToken, openReplicaToken } from "../../cluster/replica-token.ts";

const MAX_PENDING = 1000;
/** The time a user has to answer; a server of the v1 SDK gives up after a minute anyway. */
const PARKED_MS = 10 * 60_000;

export interface Parkable {
  /** The client did not return. */
  abandon(): void;
}

/** Calls that wait for their client to return with the input that a server asked for. */
export class PendingInput<T extends Parkable> {
  readonly #prefix: string;
  readonly #cluster: ClusterLink | undefined;
  readonly #asker: string | undefined;
  readonly #parked = new Map<string, { item: T; timer: NodeJS.Timeout }>();

  /**
   * `workbench` identifies the workbench, because one behind it issues tokens, too. What other
   * clients of this workbench have parked is not valid here, but not taken for a token of a server.
   * In a cluster, tokens name the replica, so that the others know where to find the call. If the principal is another replica, whose
   * clients call a server that runs here, they bring the token back to it, and it sends the call here again.
   */
  constructor(
    workbench: string = crypto.randomUUID(),
    cluster?: ClusterLink,
    principal?: Principal,
  ) {
    this.#cluster = cluster;
    this.#asker = principal && askingReplica(principal);
    this.#prefix = `workbench-${workbench}-`;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Keeps an item and returns the token that fetches it. */
  park(item: T): string {
    const [oldest] = this.#parked.keys();
    if (this.#parked.size >= MAX_PENDING && oldest !== undefined) this.#expire(oldest);
    const resumeToken =
      this.#cluster === undefined
        ? `${this.#prefix}${crypto.randomUUID()}`
        : newReplicaToken(this.#cluster, this.#asker);
    const timer = setTimeout(() => this.#expire(resumeToken), PARKED_MS).unref();
    this.#parked.set(resumeToken, { item, timer });
    return resumeToken;
  }

  /** True for tokens of this workbench, valid or not; servers have states of their own. */
  issued(resumeToken: unknown): resumeToken is string {
    if (this.#cluster !== undefined) {
      const isForReplica = openReplicaToken(this.#cluster, resumeToken)?.isForReplica;
      return isForReplica === (this.#asker !== undefined);
    }
    return typeof resumeToken === "string" && resumeToken.startsWith(this.#prefix);
  }

  /** Returns a parked item; keeps it if it does not match. */
  fetch(resumeToken: string, fits: (item: T) => boolean = () => true): T | undefined {
    const parked = this.#parked.get(resumeToken);
    if (parked === undefined || !fits(parked.item)) return undefined;
    clearTimeout(parked.timer);
    this.#parked.delete(resumeToken);
    return parked.item;
  }

  close(): void {
    for (const resumeToken of this.#parked.keys()) this.#expire(resumeToken);
  }

  #expire(resumeToken: string): void {
    this.fetch(resumeToken)?.abandon();
  }
}
