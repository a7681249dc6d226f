import { describe, expect, it, vi } from "vitest";

import type { ReplicaLease } from "../../cluster/replica-lease.ts";
import type { ClientHttpSession } from "../http/client-http-session.ts";
import type { SessionState } from "../http/session-record.ts";
import { OwnedSessions, type OwnedSession } from "./owned-sessions.ts";
import type { Confirmation, Ownership, SessionDirectory } from "./session-directory.ts";

/** Redis, as far as these sessions need it. */
class Directory {
  isUp = true;
  confirmation: Confirmation = "owned";
  readonly registered: (string | undefined)[] = [];
  readonly ended: string[] = [];
  readonly released: string[] = [];

  async register({ state }: { state: string | undefined }): Promise<boolean> {
    this.#check();
    this.registered.push(state);
    return this.confirmation !== "lost";
  }

  async end({ uid }: Ownership): Promise<void> {
    this.#check();
    this.ended.push(uid);
  }

  async release({ uid }: Ownership): Promise<void> {
    this.#check();
    this.released.push(uid);
  }

  async confirm<T>(sessions: readonly T[]): Promise<Map<T, Confirmation>> {
    this.#check();
    return new Map(sessions.map((session) => [session, this.confirmation]));
  }

  #check(): void {
    if (!this.isUp) throw new Error("away");
  }
}

function newSession(state: SessionState = {}) {
  const directory = new Directory();
  const lease = { isFresh: true, gaps: 0, renew: async () => directory.isUp };
  const owned = new OwnedSessions(
    directory as unknown as SessionDirectory,
    lease as unknown as ReplicaLease,
  );
  const end = vi.fn();
  const session = { uid: "s", streams: { state: undefined }, record: { state } };
  owned.add(session as unknown as ClientHttpSession, end, { fence: 1, declared: undefined });
  return { directory, lease, owned, end, session: owned.get("s") as OwnedSession };
}

describe("the sessions of a replica", () => {
  it("are certain until the lease has a gap, and again when Redis has confirmed them", async () => {
    const { owned, lease, session } = newSession();
    expect(owned.isCertain(session)).toBe(true);
    lease.gaps = 1;
    expect(owned.isCertain(session)).toBe(false);
    expect(await owned.confirm(session)).toBe(true);
    expect(owned.isCertain(session)).toBe(true);
  });

  it("end when another replica has taken them", async () => {
    const { owned, directory, end, session } = newSession();
    directory.confirmation = "lost";
    expect(await owned.confirm(session)).toBe(false);
    expect(end).toHaveBeenCalledOnce();
    expect(owned.get("s")).toBeUndefined();
    // It was taken, so that its record is not removed.
    owned.remove("s");
    expect(directory.ended).toEqual([]);
  });

  it("are registered again if Redis has lost them", async () => {
    const { owned, directory, session } = newSession({ level: "debug", uris: ["a:b"] });
    directory.confirmation = "missing";
    await owned.onGap();
    expect(directory.registered).toEqual(['{"level":"debug","uris":["a:b"]}']);
    expect(owned.get("s")).toBe(session);
  });

  it("keep no more than the latest subscriptions in Redis", async () => {
    const uris = Array.from({ length: 100 }, (_, i) => `a:${i}${"x".repeat(1000)}`);
    const { owned, directory, session } = newSession({ uris });
    await owned.register(session);
    const [state = ""] = directory.registered;
    expect(state.length).toBeLessThan(40_000);
    expect(state).toContain('"a:99');
  });

  it("are not confirmed without Redis", async () => {
    const { owned, directory, session } = newSession();
    directory.isUp = false;
    await expect(owned.confirm(session)).rejects.toThrow("Redis is not reachable");
    expect(owned.get("s")).toBe(session);
  });

  it("that ended while Redis was away do not come back with it", async () => {
    const { owned, directory } = newSession();
    directory.isUp = false;
    owned.remove("s");
    await vi.waitFor(() => expect(owned.hasEnded("s")).toBe(true), 60_000);
    owned.repeatEnds();
    directory.isUp = true;
    owned.repeatEnds();
    await vi.waitFor(() => expect(owned.hasEnded("s")).toBe(false), 60_000);
    expect(directory.ended).toContain("s");
  });

  it("are known in Redis when they are given away, although it has lost its data", async () => {
    for (const give of ["release", "giveAway"] as const) {
      const { owned, directory, session } = newSession({ level: "debug" });
      await owned[give](session);
      expect(directory.registered).toEqual(['{"level":"debug"}']);
      expect(directory.released).toEqual(["s"]);
    }
    const { owned, directory, session } = newSession();
    directory.confirmation = "lost";
    await owned.release(session);
    expect(directory.released).toEqual([]);
  });

  it("end here before another replica may take them", async () => {
    const { owned, directory, end, session } = newSession();
    end.mockImplementation(() => expect(directory.released).toEqual([]));
    await owned.release(session);
    expect([end.mock.calls.length, directory.released]).toEqual([1, ["s"]]);
  });
});
