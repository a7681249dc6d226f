import type { OwnedSession, OwnedSessions } from "./owned-sessions.ts";
import type { OwnerFinder } from "./owner-finder.ts";
import type { Peer } from "./peer-client.ts";

/** How long it is known that no other replica reaches Redis. Shorter than one waits for a silent owner. */
const OUTAGE_MS = 2_000;

/** What to do with a request of a session of this replica: handle it, pass it on, or refuse it. */
export type OwnVerdict = "here" | "lost" | "isolated" | Peer;

/**
 * Decides whether this replica may handle its own session although its lease has ended: it was paused, or Redis is away. Two
 * replicas must never handle the same session.
 */
export class OwnCheck {
  readonly #owned: OwnedSessions;
  readonly #finder: OwnerFinder;
  readonly #self: string;
  #outageUntil = -Infinity;

  constructor(owned: OwnedSessions, finder: OwnerFinder, self: string) {
    this.#owned = owned;
    this.#finder = finder;
    this.#self = self;
  }

  async decide(owned: OwnedSession): Promise<OwnVerdict> {
    try {
      return (await this.#owned.confirm(owned)) ? "here" : "lost";
    } catch {
      return this.#withoutRedis(owned.uid);
    }
  }

  async #withoutRedis(uid: string): Promise<OwnVerdict> {
    const begin = performance.now();
    if (begin < this.#outageUntil) return "here";
    const answers = await this.#finder.askAll(uid);
    for (const [peer, answer] of answers) {
      if (typeof answer === "string") continue;
      if (answer.owns) return peer;
      if (!answer.isUp) continue;
      // One that reaches Redis knows the owner.
      const isOwn = !answer.isKnown || answer.owner?.id === this.#self;
      return isOwn ? "here" : (answer.owner ?? peer);
    }
    // One that does not answer may reach Redis, and have taken the session.
    for (const answer of answers.values()) if (answer === "silent") return "isolated";
    this.#outageUntil = begin + OUTAGE_MS;
    return "here";
  }
}
