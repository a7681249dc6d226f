import { beforeAll, beforeEach } from "vitest";
import { type ChaosHttp, startChaosHttp } from "./chaos-http.ts";
import { perBlock } from "./disposables.ts";
import { waitFor } from "./proc.ts";
import { GENEROUS_MS } from "./raw-client.ts";

/** One server for all tests of a file; each of them finds it in its initial state. */
export function sharedChaos(): Pick<ChaosHttp, "origin" | "set" | "seen"> {
  const block = perBlock();
  let chaos: ChaosHttp;
  beforeAll(async () => {
    chaos = await startChaosHttp(block);
  });
  beforeEach(async () => {
    // Requests that an earlier test cancelled must not be counted in this one.
    const isQuiet = async (): Promise<boolean> => (await chaos.seen()).open === 0;
    await waitFor(isQuiet, GENEROUS_MS, "the requests of earlier tests to end");
    await chaos.set({ reset: true, forgetSessions: true });
  });
  return {
    get origin() {
      return chaos.origin;
    },
    set: (settings) => chaos.set(settings),
    seen: () => chaos.seen(),
  };
}
