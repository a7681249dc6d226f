import type { ReplicaLease } from "../../cluster/replica-lease.ts";
import type { ClientHttpSession } from "../http/client-http-session.ts";
import type { StreamsState } from "../http/streams-state.ts";
import type {
  Confirmation,
  Ownership,
  RegisteredSession,
  SessionDirectory,
} from "./session-directory.ts";

/** A session of this replica. */
export interface OwnedSession extends Ownership {
  readonly session: ClientHttpSession;
  /** Ends it here. */
  readonly end: () => void;
  /** What `initialize` declared, as JSON, if the session id does not have it. */
  readonly declared: string | undefined;
  /** The count of gaps in the lease when the ownership was last certain. */
  gap: number;
  /** When Redis last learned that it is used. */
  reportedAt: number;
}

const MAX_URI_CHARS = 32 * 1024;
/** More than a replica ends while Redis is away for a short time. */
const MAX_ENDED = 10_000;

/** The sessions of this replica, and what Redis knows of them. */
export class OwnedSessions {
  readonly #directory: SessionDirectory;
  readonly #lease: ReplicaLease;
  readonly #byUid = new Map<string, OwnedSession>();
  /** Those that have ended, by uid, until Redis knows. */
  readonly #ended = new Map<string, Ownership>();

  constructor(directory: SessionDirectory, lease: ReplicaLease) {
    this.#directory = directory;
    this.#lease = lease;
  }

  get all(): Iterable<OwnedSession> {
    return this.#byUid.values();
  }

  get(uid: string): OwnedSession | undefined {
    return this.#byUid.get(uid);
  }

  /** Whether no other replica can have taken the session. */
  isCertain({ gap }: OwnedSession): boolean {
    return this.#lease.isFresh && gap === this.#lease.gaps;
  }

  /** Adds a session that no replica had, or that was claimed. */
  add(
    session: ClientHttpSession,
    end: () => void,
    { fence, declared }: Pick<OwnedSession, "fence" | "declared">,
  ): void {
    const { uid } = session;
    const reportedAt = performance.now();
    const owned = { uid, session, end, fence, declared, gap: this.#lease.gaps, reportedAt };
    this.#byUid.set(uid, owned);
  }

  /** Writes a session to Redis. While Redis is away, that happens when it is back. */
  async register(owned: OwnedSession): Promise<void> {
    const isOwned = await this.#directory.register(registered(owned)).catch(() => true);
    if (!isOwned) this.#onLost(owned);
  }

  /** The session has ended, so that its id is not valid any longer. */
  remove(uid: string): void {
    const owned = this.#byUid.get(uid);
    if (owned === undefined) return;
    this.#byUid.delete(uid);
    const [oldest] = this.#ended.size < MAX_ENDED ? [] : this.#ended.keys();
    if (oldest !== undefined) this.#ended.delete(oldest);
    this.#ended.set(uid, { uid, fence: owned.fence });
    this.#reportEnd(owned);
  }

  /** Whether a session has ended here that Redis may still know. */
  hasEnded(uid: string): boolean {
    return this.#ended.has(uid);
  }

  /** Removes sessions from Redis that ended while it was away. */
  repeatEnds(): void {
    for (const owned of this.#ended.values()) this.#reportEnd(owned);
  }

  /** Gives a session away: it ends here, but its id stays valid, and its streams continue. */
  async release(owned: OwnedSession): Promise<void> {
    const record = registered(owned);
    const { state } = owned.session.streams;
    // It ends first, so that no two replicas have it.
    this.#byUid.delete(owned.uid);
    owned.end();
    await this.#release(record, state);
  }

  /** The same for one that ends in another way. */
  async giveAway(owned: OwnedSession): Promise<void> {
    this.#byUid.delete(owned.uid);
    await this.#release(registered(owned), owned.session.streams.state);
  }

  /** Redis may be back, without its data, and not know the session yet. */
  async #release(record: RegisteredSession, streams: StreamsState | undefined): Promise<void> {
    try {
      if (await this.#directory.register(record)) await this.#directory.release(record, streams);
    } catch {
      // Without Redis, the session is lost.
    }
  }

  /** Asks Redis whether this replica still owns the session; rejects if Redis does not answer. */
  async confirm(owned: OwnedSession): Promise<boolean> {
    // The lease comes first: as long as it lasts, no other replica can take what is confirmed now.
    if (!(await this.#lease.renew())) throw new Error("Redis is not reachable");
    await this.#confirmAll([owned]);
    return this.#byUid.get(owned.uid) === owned && this.isCertain(owned);
  }

  /** The lease had ended for a while: finds out which sessions were taken, and registers those that Redis has lost. */
  async onGap(): Promise<void> {
    await this.#confirmAll([...this.#byUid.values()]);
  }

  /** Keeps the sessions in Redis that were used since the last report. */
  async reportUse(olderThanMs: number): Promise<void> {
    const before = performance.now() - olderThanMs;
    const used = [...this.#byUid.values()].filter(
      ({ session, reportedAt }) =>
        reportedAt < before && (session.inUse || session.lastUsed > reportedAt),
    );
    if (used.length > 0) await this.#confirmAll(used);
  }

  #reportEnd({ uid, fence }: Ownership): void {
    this.#directory.end({ uid, fence }).then(
      () => this.#ended.delete(uid),
      () => {},
    );
  }

  async #confirmAll(sessions: readonly OwnedSession[]): Promise<void> {
    const { gaps } = this.#lease;
    const now = performance.now();
    const confirmed = await this.#directory.confirm(sessions);
    const work: Promise<void>[] = [];
    for (const [owned, confirmation] of confirmed) {
      if (this.#byUid.get(owned.uid) !== owned) continue;
      work.push(this.#onConfirmed(owned, confirmation));
      if (confirmation === "lost") continue;
      owned.gap = gaps;
      owned.reportedAt = now;
    }
    await Promise.all(work);
  }

  async #onConfirmed(owned: OwnedSession, confirmation: Confirmation): Promise<void> {
    if (confirmation === "lost") this.#onLost(owned);
    else if (confirmation === "missing") await this.register(owned);
  }

  /** Another replica continues the session. */
  #onLost(owned: OwnedSession): void {
    this.#byUid.delete(owned.uid);
    owned.end();
  }
}

/** The latest subscriptions that fit into the record of a session, in their order. */
function latestUris(uris: readonly string[]): string[] {
  let chars = 0;
  return uris
    .toReversed()
    .filter(({ length }) => (chars += length) <= MAX_URI_CHARS)
    .toReversed();
}

function registered({ uid, fence, declared, session }: OwnedSession): RegisteredSession {
  const all = session.record?.state ?? {};
  const uris = latestUris(all.uris ?? []);
  const state = uris.length === 0 ? all : { ...all, uris };
  const hasState = Object.keys(state).length > 0;
  return { uid, fence, declared, state: hasState ? JSON.stringify(state) : undefined };
}
