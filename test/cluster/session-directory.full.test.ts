/** The records of sessions in a real Redis, without processes of the program. In the full suite because of Redis. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";

import type { ClusterLink } from "../../src/cluster/cluster-link.ts";
import { openClusterLink } from "../../src/cluster/redis-link.ts";
import { ReplicaLease } from "../../src/cluster/replica-lease.ts";
import { NO_LOG } from "../../src/log.ts";
import { type FoundSession, SessionDirectory } from "../../src/serve/cluster/session-directory.ts";
import { perBlock } from "../support/disposables.ts";
import { HAS_REDIS, TestRedis } from "../support/redis.ts";

const [KEY, NEXT_KEY] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));

describe.skipIf(!HAS_REDIS)("the record of a session", () => {
  const disposables = perBlock();
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start(disposables);
  });

  async function replica(keys: readonly (string | undefined)[] = [KEY]) {
    const settings = { redis: redis.url, advertise: "http://127.0.0.1:1", name: "t", drainMs: 0 };
    const link: ClusterLink = openClusterLink(
      { ...settings, keys: keys as string[] },
      "replica",
      NO_LOG,
    );
    disposables.defer(() => link.close());
    await link.started;
    const lease = new ReplicaLease(link, () => {});
    disposables.defer(() => lease.end());
    await lease.renew();
    return { link, lease, directory: new SessionDirectory(link, () => 60_000) };
  }
  type Replica = Awaited<ReturnType<typeof replica>>;
  const session = (uid: string, state?: object) => ({
    uid,
    fence: 1,
    declared: undefined,
    state: state && JSON.stringify(state),
  });
  const find = async ({ directory }: Replica, uid: string): Promise<FoundSession> =>
    (await directory.find(uid)) as FoundSession;

  it("has what the client changed, and not what it took back", async () => {
    const [one, other] = [await replica(), await replica()];
    await one.directory.register(session("a", { level: "debug", uris: ["x:y"] }));
    await one.directory.register(session("b", { uris: ["x:y"] }));
    await one.directory.register(session("b"));
    await one.lease.end();
    const claimed = await other.directory.claim(await find(other, "a"));
    expect(claimed).toMatchObject({ fence: 2, state: '{"level":"debug","uris":["x:y"]}' });
    expect((await other.directory.claim(await find(other, "b")))?.state).toBeUndefined();
  });

  it("is taken by one replica only, and never from one that lives", async () => {
    const [one, other, third] = [await replica(), await replica(), await replica()];
    await one.directory.register(session("c"));
    const alive = await find(other, "c");
    expect(alive).toMatchObject({ owner: one.link.replica, isAlive: true, fence: 1 });
    expect(await other.directory.claim(alive)).toBeUndefined();
    await one.lease.end();
    const found = await find(other, "c");
    const claims = await Promise.all([other, third].map(({ directory }) => directory.claim(found)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    // The former owner notices, and can neither register nor end it.
    const own = session("c");
    expect((await one.directory.confirm([own])).get(own)).toBe("lost");
    expect(await one.directory.register(own)).toBe(false);
    await one.directory.end(own);
    expect(await other.directory.find("c")).toBeDefined();
  });

  it("can be read while keys are replaced, and is written again with the new one", async () => {
    const before = await replica([KEY]);
    await before.directory.register(session("d", { level: "info" }));
    await before.lease.end();
    const between = await replica([NEXT_KEY, KEY]);
    const claimed = await between.directory.claim(await find(between, "d"));
    expect(claimed).toMatchObject({ state: '{"level":"info"}', isOutdated: true });
    await between.directory.register({ ...session("d", { level: "info" }), fence: 2 });
    await between.lease.end();
    const after = await replica([NEXT_KEY]);
    const last = await after.directory.claim(await find(after, "d"));
    expect(last).toMatchObject({ state: '{"level":"info"}', isOutdated: false });
  });
});
