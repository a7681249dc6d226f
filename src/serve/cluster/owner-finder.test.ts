import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { ReplicaLease } from "../../cluster/replica-lease.ts";
import { OwnerFinder } from "./owner-finder.ts";
import type { NoAnswer, PeerAnswer, PeerClient } from "./peer-client.ts";
import type { FoundSession, SessionDirectory } from "./session-directory.ts";

const NO = { owns: false, isUp: true, isKnown: false };

/** A replica "self" that knows these others, and what Redis says about the session "s". */
class Setting {
  found: FoundSession | undefined;
  isUp = true;
  addresses: Record<string, string> = {};
  peers: Record<string, string> = {};
  answers: Record<string, PeerAnswer | NoAnswer> = {};
  asked: string[] = [];

  readonly finder = new OwnerFinder(this.#link(), this.#lease(), this.#directory(), this.#client());

  #link(): ClusterLink {
    const isUp = (): boolean => this.isUp;
    return {
      replica: "self",
      advertise: "http://self",
      get isUp() {
        return isUp();
      },
    } as ClusterLink;
  }

  #lease(): ReplicaLease {
    const peers = (): Map<string, string> => new Map(Object.entries(this.peers));
    return {
      get peers() {
        return peers();
      },
      get knownPeers() {
        return peers();
      },
      addressOf: (_id: string, sealed: unknown) => sealed as string | undefined,
    } as unknown as ReplicaLease;
  }

  #directory(): SessionDirectory {
    const read = (): FoundSession | undefined => {
      if (!this.isUp) throw new Error("away");
      return this.found;
    };
    const claim = async ({ isAlive, fence }: FoundSession): Promise<object | undefined> =>
      isAlive ? undefined : { uid: "s", fence: fence + 1 };
    return {
      find: async () => read(),
      sealedAddress: async (id: string) => this.addresses[id],
      claim,
    } as unknown as SessionDirectory;
  }

  #client(): PeerClient {
    const ask = async ({ id }: { id: string }): Promise<PeerAnswer | NoAnswer> => {
      this.asked.push(id);
      return this.answers[id] ?? "gone";
    };
    return { ask } as unknown as PeerClient;
  }

  at(owner: string | undefined, isAlive: boolean, address = `http://${owner}`): void {
    this.found = { uid: "s", fence: 1, owner, isAlive, address };
  }
}

const at = (id: string): object => ({ kind: "at", peer: { id, address: `http://${id}` } });
const CLAIMED = { kind: "claimed", session: { uid: "s", fence: 2 } };

describe("the owner of a session", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is the replica that Redis names, while its lease lasts", async () => {
    const setting = new Setting();
    setting.peers = { a: "http://a" };
    setting.at("a", true);
    expect(await setting.finder.find("s", { id: "a" })).toEqual(at("a"));
    expect(setting.finder.cached("s")).toEqual({ id: "a", address: "http://a" });
    setting.peers = {};
    expect(setting.finder.cached("s")).toBeUndefined();
  });

  it("becomes this replica if the session was released, or its lease has ended", async () => {
    for (const owner of [undefined, "a"]) {
      const setting = new Setting();
      setting.at(owner, false);
      expect(await setting.finder.find("s", { id: "a" })).toEqual(CLAIMED);
    }
  });

  it("stays the one that has lost Redis only", async () => {
    const setting = new Setting();
    setting.at("a", false);
    setting.answers = { a: { ...NO, isUp: false, owns: true } };
    expect(await setting.finder.find("s", { id: "a" })).toEqual(at("a"));
  });

  it.each(["cannot be reached", "had the address of this one before"])(
    "that %s is replaced when its lease has ended, and not asked",
    async (problem) => {
      const setting = new Setting();
      const isReplaced = problem.startsWith("had");
      setting.at("a", true, isReplaced ? "http://self" : undefined);
      const finding = setting.finder.find("s", { id: "a" }, isReplaced ? undefined : "a");
      await vi.advanceTimersByTimeAsync(3_000);
      setting.at("a", false);
      await vi.advanceTimersByTimeAsync(200);
      expect(await finding).toEqual(CLAIMED);
    },
  );

  it("is not waited for without end", async () => {
    const setting = new Setting();
    setting.at("a", true);
    const finding = setting.finder.find("s", { id: "a" }, "a");
    await vi.advanceTimersByTimeAsync(12_000);
    expect(await finding).toMatchObject({ kind: "unavailable" });
  });

  it("is asked for if Redis does not know the session, also where it began without Redis", async () => {
    const setting = new Setting();
    setting.peers = { b: "http://b" };
    setting.addresses = { a: "http://a" };
    setting.answers = { a: { ...NO, isUp: false, owns: true }, b: NO };
    expect(await setting.finder.find("s", { id: "a" })).toEqual(at("a"));
    setting.answers = {};
    expect(await setting.finder.find("s", { id: "a" })).toEqual({ kind: "unknown" });
    setting.asked = [];
    expect(await setting.finder.find("s", { id: "a" })).toEqual({ kind: "unknown" });
    // An id that no replica knows is not looked for again and again.
    expect(setting.asked).toEqual([]);
  });

  it("is found without Redis, and a session that none has is never taken", async () => {
    const setting = new Setting();
    setting.isUp = false;
    setting.peers = { a: "http://a", b: "http://b" };
    setting.answers = { a: { ...NO, isUp: false }, b: { ...NO, isUp: false, owns: true } };
    expect(await setting.finder.find("s", { id: "a" })).toEqual(at("b"));
    setting.answers = { a: { ...NO, isUp: false }, b: "silent" };
    expect(await setting.finder.find("s", { id: "a" })).toMatchObject({ kind: "unavailable" });
  });

  it("is found where the session began without Redis, although the two never met there", async () => {
    const setting = new Setting();
    setting.isUp = false;
    setting.answers = { new: { ...NO, isUp: false, owns: true } };
    const origin = { id: "new", address: "http://new" };
    expect(await setting.finder.find("s", origin)).toEqual(at("new"));
    setting.isUp = true;
    expect(await setting.finder.find("s", origin)).toEqual(at("new"));
    setting.isUp = false;
    setting.asked = [];
    const own = { id: "self", address: "http://self" };
    expect(await setting.finder.find("s", own)).toMatchObject({ kind: "unavailable" });
    expect(setting.asked).toEqual([]);
  });

  it("becomes another replica if this one is about to end", async () => {
    const setting = new Setting();
    setting.peers = { b: "http://b" };
    setting.at(undefined, false);
    setting.finder.mayClaim = false;
    expect(await setting.finder.find("s", { id: "a" })).toEqual(at("b"));
  });
});
