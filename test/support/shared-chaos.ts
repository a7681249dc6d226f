import { beforeAll, beforeEach } from "vitest";
import { type ChaosHttp, startChaosHttp } from "./chaos-http.ts";
import { perBlock } from "./disposables.ts";

/** One server for all tests of a file; each of them finds it in its initial state. */
export function sharedChaos(): Pick<ChaosHttp, "origin" | "set" | "seen" | "until"> {
  const block = perBlock();
  let chaos: ChaosHttp;
  beforeAll(async () => {
    chaos = await startChaosHttp(block);
  });
  beforeEach(async () => {
    // Requests that an earlier test cancelled must not be counted in this one.
    await chaos.until(({ open }) => open === 0, "the requests of earlier tests to end");
    await chaos.set({ reset: true, forgetSessions: true });
  });
  return {
    get origin() {
      return chaos.origin;
    },
    set: (settings) => chaos.set(settings),
    seen: () => chaos.seen(),
    until: (isReached, what) => chaos.until(isReached, what),
  };
}
