import { setTimeout as delay } from "node:timers/promises";

import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { LEASE_MS, type ReplicaLease } from "../../cluster/replica-lease.ts";
import type { NoAnswer, Peer, PeerAnswer, PeerClient } from "./peer-client.ts";
import type { FoundSession, RegisteredSession, SessionDirectory } from "./session-directory.ts";
import type { Origin } from "./session-tokens.ts";

/** Where a session is handled. */
export type Whereabouts =
  | { readonly kind: "at"; readonly peer: Peer }
  /** This replica has just taken it. */
  | { readonly kind: "claimed"; readonly session: RegisteredSession }
  | { readonly kind: "unknown" }
  | { readonly kind: "unavailable"; readonly reason: string };

/** How often it is checked whether the lease of a replica that is gone has ended. */
const POLL_MS = 100;
/** Longer than any lease. */
const MAX_WAIT_MS = LEASE_MS + 5_000;
/** A replica that no longer has the session says so, and one that is gone has no lease. */
const KNOWN_MS = 60_000;
/** How long an unknown id is not looked for again. */
const UNKNOWN_MS = 2_000;
const MAX_CACHED = 50_000;

interface Cached {
  readonly peer: Peer | undefined;
  readonly until: number;
}

/** Finds the replica that has a session, or takes the session if its owner is gone. */
export class OwnerFinder {
  readonly #link: ClusterLink;
  readonly #lease: ReplicaLease;
  readonly #directory: SessionDirectory;
  readonly #peers: PeerClient;
  readonly #cache = new Map<string, Cached>();
  /** False when this replica is about to end: another one takes what can be taken. */
  mayClaim = true;

  constructor(
    link: ClusterLink,
    lease: ReplicaLease,
    directory: SessionDirectory,
    peers: PeerClient,
  ) {
    this.#link = link;
    this.#lease = lease;
    this.#directory = directory;
    this.#peers = peers;
  }

  /** The owner, if it was found a short time ago and lives. */
  cached(uid: string): Peer | undefined {
    const found = this.#cache.get(uid);
    if (found?.peer === undefined || found.until < performance.now()) return undefined;
    return this.#lease.peers.has(found.peer.id) ? found.peer : undefined;
  }

  forget(uid: string): void {
    this.#cache.delete(uid);
  }

  /**
   * @param origin the replica at which the session began
   * @param gone a replica that cannot be reached: as soon as its lease has ended, the session is taken
   */
  async find(uid: string, origin: Origin, gone?: string): Promise<Whereabouts> {
    const begin = performance.now();
    for (;;) {
      let found: Whereabouts | undefined;
      try {
        found = this.#link.isUp
          ? await this.#inRedis(uid, origin, gone)
          : await this.#withoutRedis(uid, origin);
      } catch {
        // Redis went away, or does not answer in time.
        found = this.#link.isUp ? undefined : await this.#withoutRedis(uid, origin);
      }
      if (found?.kind === "at" && this.mayClaim) this.#remember(uid, found.peer, KNOWN_MS);
      if (found !== undefined) return found;
      if (performance.now() - begin > MAX_WAIT_MS)
        return { kind: "unavailable", reason: "its replica does not answer" };
      await delay(POLL_MS);
    }
  }

  /** What Redis says about a session, for another replica; no other replica is asked, and nothing is changed. */
  async reported(uid: string, asker: string): Promise<Pick<PeerAnswer, "isKnown" | "owner">> {
    const found = await this.#directory.find(uid);
    if (found === undefined) return { isKnown: false };
    const isValid = found.isAlive || found.owner === asker;
    return { isKnown: true, owner: isValid ? this.#peerIn(found) : undefined };
  }

  /** Asks all other replicas about a session; at once if one of them has it. */
  async askAll(uid: string, origin?: Origin): Promise<ReadonlyMap<Peer, PeerAnswer | NoAnswer>> {
    const answers = new Map<Peer, PeerAnswer | NoAnswer>();
    const peers = Array.from(this.#lease.knownPeers, ([id, address]) => ({ id, address }));
    // One of the two may have started while Redis was away.
    const { id = "", address } = origin ?? {};
    if (address !== undefined && this.#isStranger(id)) peers.push({ id, address });
    await new Promise<void>((resolve) => {
      if (peers.length === 0) resolve();
      for (const peer of peers)
        void this.#peers.ask(peer, uid).then((answer) => {
          answers.set(peer, answer);
          const owns = typeof answer !== "string" && answer.owns;
          if (owns || answers.size === peers.length) resolve();
        });
    });
    return answers;
  }

  /** Undefined if it has to be looked up again. */
  async #inRedis(
    uid: string,
    origin: Origin,
    gone: string | undefined,
  ): Promise<Whereabouts | undefined> {
    const found = await this.#directory.find(uid);
    if (found === undefined) return this.#unregistered(uid, origin);
    const { owner, isAlive } = found;
    if (owner === undefined) return this.#claim(found);
    const peer = this.#peerIn(found);
    if (isAlive && peer !== undefined && owner !== this.#link.replica) {
      // This process has its address, so that it has ended.
      const isReplaced = peer.address === this.#link.advertise;
      return owner === gone || isReplaced ? undefined : { kind: "at", peer };
    }
    // Its lease has ended. It may still live and only have lost Redis; then it keeps its sessions.
    if (peer !== undefined && owner !== gone && owner !== this.#link.replica) {
      const answer = await this.#peers.ask(peer, uid);
      if (typeof answer !== "string" && answer.owns) return { kind: "at", peer };
    }
    return this.#claim(found);
  }

  /** Redis does not know the session: it has ended, or its owner could not register it. */
  async #unregistered(uid: string, origin: Origin): Promise<Whereabouts> {
    const cached = this.#cache.get(uid);
    if (cached !== undefined && cached.peer === undefined && cached.until > performance.now())
      return { kind: "unknown" };
    const answers = await this.askAll(uid);
    for (const [peer, answer] of answers)
      if (typeof answer !== "string" && answer.owns) return { kind: "at", peer };
    const first = this.#isStranger(origin.id) ? await this.#formerPeer(origin) : undefined;
    const answer = first && (await this.#peers.ask(first, uid));
    if (first !== undefined && typeof answer === "object" && answer.owns)
      return { kind: "at", peer: first };
    this.#remember(uid, undefined, UNKNOWN_MS);
    return { kind: "unknown" };
  }

  /** A replica that may have lost Redis only. */
  async #formerPeer({ id, address: first }: Origin): Promise<Peer | undefined> {
    const address = this.#lease.addressOf(id, await this.#directory.sealedAddress(id)) ?? first;
    return address === undefined ? undefined : { id, address };
  }

  /** Whether a replica is neither this one nor a known peer. */
  #isStranger(id: string): boolean {
    return id !== this.#link.replica && !this.#lease.knownPeers.has(id);
  }

  async #withoutRedis(uid: string, origin: Origin): Promise<Whereabouts> {
    const answers = await this.askAll(uid, origin);
    for (const [peer, answer] of answers)
      if (typeof answer !== "string" && answer.owns) return { kind: "at", peer };
    for (const [peer, answer] of answers)
      if (typeof answer !== "string" && answer.isUp)
        return { kind: "at", peer: answer.owner ?? peer };
    return { kind: "unavailable", reason: "Redis is not reachable, and no other replica has it" };
  }

  async #claim(found: FoundSession): Promise<Whereabouts | undefined> {
    const [other] = this.mayClaim ? [] : this.#lease.peers;
    if (other !== undefined) return { kind: "at", peer: { id: other[0], address: other[1] } };
    const session = await this.#directory.claim(found);
    if (session === undefined) return undefined;
    this.forget(found.uid);
    return { kind: "claimed", session };
  }

  #peerIn({ owner, address }: FoundSession): Peer | undefined {
    if (owner === undefined) return undefined;
    const known = this.#lease.peers.get(owner) ?? this.#lease.addressOf(owner, address);
    return known === undefined ? undefined : { id: owner, address: known };
  }

  #remember(uid: string, peer: Peer | undefined, ms: number): void {
    this.#cache.delete(uid);
    this.#cache.set(uid, { peer, until: performance.now() + ms });
    if (this.#cache.size <= MAX_CACHED) return;
    for (const oldest of this.#cache.keys()) {
      this.#cache.delete(oldest);
      return;
    }
  }
}
