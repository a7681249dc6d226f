import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ClusterParts } from "./cluster-parts.ts";
import { drain } from "./drain.ts";

/** A replica with two sessions, of which one waits for a call. */
function newReplica() {
  const log: string[] = [];
  const newSession = (name: string, awaits: boolean) => ({
    name,
    session: { awaits: () => awaits, streams: { end: () => log.push(`stream of ${name}`) } },
  });
  const busy = newSession("busy", true);
  const sessions = new Set([newSession("idle", false), busy]);
  const give = (how: string) => async (session: typeof busy) => {
    sessions.delete(session);
    log.push(`${how} ${session.name}`);
  };
  const parts = {
    owned: { all: sessions, release: give("release"), giveAway: give("give away") },
    finder: { mayClaim: true },
    router: { endStreams: () => {} },
    lease: { end: async () => void log.push("end of the lease") },
  };
  const replica = { parts: parts as unknown as ClusterParts, log, open: 1 };
  const finish = (): void => {
    busy.session.awaits = () => false;
    replica.open = 0;
  };
  return { replica, finish };
}

describe("a replica that ends", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const drained = async (drainMs: number, finishAt?: number) => {
    const { replica, finish } = newReplica();
    const done = drain(replica.parts, {
      drainMs,
      isUp: () => true,
      openResponses: () => replica.open,
      isAsked: () => false,
      endStreams: () => {},
    });
    expect(replica.parts.finder.mayClaim).toBe(false);
    if (finishAt !== undefined) setTimeout(finish, finishAt);
    await vi.advanceTimersByTimeAsync(drainMs + 1_000);
    await done;
    return { log: replica.log.filter((line) => !line.startsWith("stream")) };
  };

  it("gives sessions away as soon as they wait for nothing, and its lease at the end", async () => {
    const { log } = await drained(20_000, 5_000);
    expect(log).toEqual(["release idle", "release busy", "end of the lease"]);
  });

  it("cuts calls off that take too long; their sessions continue elsewhere", async () => {
    const { log } = await drained(4_000);
    expect(log).toEqual(["release idle", "give away busy", "end of the lease"]);
  });

  it.each([
    ["has returned", 20_000, false],
    ["has not returned in time", 5_000, true],
  ])("waits until a client that was asked for input %s", async (_when, drainMs, stays) => {
    const { replica, finish } = newReplica();
    finish();
    let isAsked = true;
    let wasChecked = (): void => {};
    const checked = new Promise<void>((resolve) => (wasChecked = resolve));
    const done = drain(replica.parts, {
      drainMs,
      isUp: () => true,
      openResponses: () => replica.open,
      isAsked: () => {
        wasChecked();
        return isAsked;
      },
      endStreams: () => {},
    });
    // Long enough for a replica without calls.
    await vi.advanceTimersByTimeAsync(4_000);
    await checked;
    expect(replica.log).not.toContain("end of the lease");
    isAsked = stays;
    await vi.advanceTimersByTimeAsync(2_000);
    await done;
    expect(replica.log).toContain("end of the lease");
  });

  it.each([
    ["is back", 20_000, true, ["release idle", "release busy", "end of the lease"]],
    ["stays away", 5_000, false, ["give away idle", "give away busy", "end of the lease"]],
  ])(
    "serves its sessions without Redis, which %s, because no other replica could take them",
    async (_what, drainMs, isBack, expected) => {
      const { replica, finish } = newReplica();
      finish();
      let isUp = false;
      let wasChecked = (): void => {};
      const checked = new Promise<void>((resolve) => (wasChecked = resolve));
      const begin = performance.now();
      const done = drain(replica.parts, {
        drainMs,
        isUp: () => {
          if (performance.now() > begin) wasChecked();
          return isUp;
        },
        openResponses: () => replica.open,
        isAsked: () => false,
        endStreams: () => {},
      });
      // Long enough for a replica without sessions.
      await vi.advanceTimersByTimeAsync(4_000);
      await checked;
      expect(replica.log).toEqual([]);
      isUp = isBack;
      await vi.advanceTimersByTimeAsync(2_000);
      await done;
      expect(replica.log.filter((line) => !line.startsWith("stream"))).toEqual(expected);
    },
  );
});
