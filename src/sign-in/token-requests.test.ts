import { describe, expect, it } from "vitest";

import { bearer, MINUTE, SignInBench } from "../../test/support/sign-in/bench.ts";

/** Whether a promise is settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}

describe("the end of a program", () => {
  it("waits for the answer to a refresh, because its token exists nowhere else", async () => {
    const bench = new SignInBench();
    bench.stored({}, 2 * MINUTE);
    const signIns = bench.process();
    let release = (): void => {};
    bench.protocol.hold = new Promise((resolve) => (release = resolve));
    // Still valid, so the request does not wait for the refresh.
    expect((await bench.signIn({}, signIns).token())?.header).toBe(bearer(0));
    await isSettled(Promise.resolve());
    expect(bench.protocol.count("refresh")).toBe(1);
    const closed = signIns.close();
    expect(await isSettled(closed)).toBe(false);
    release();
    await closed;
    expect(bench.store.only()).toMatchObject({
      generation: 2,
      token: { accessToken: "access-token-1", refreshToken: "refresh-token-1" },
    });
  });

  it("begins no refresh", async () => {
    const bench = new SignInBench();
    bench.stored({}, 2 * MINUTE);
    const signIns = bench.process();
    const signIn = bench.signIn({}, signIns);
    await signIns.close();
    expect((await signIn.token())?.header).toBe(bearer(0));
    await isSettled(Promise.resolve());
    expect(bench.protocol.calls).toEqual([]);
    expect(bench.store.only().generation).toBe(1);
  });
});
