import { describe, expect, it } from "vitest";

import { withinLoginTime } from "./login-time.ts";

const PLACE = { toolbox: "work", server: "tickets" };
const never = new AbortController().signal;

/** A login that ends only when it is stopped, with the reason. */
const waiting = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

describe("the time of a login", () => {
  it("ends it with a reason and what to do, and stops its work", async () => {
    let seen: AbortSignal | undefined;
    const login = withinLoginTime(never, PLACE, (signal) => waiting((seen = signal)), 1);
    await expect(login).rejects.toMatchObject({
      code: "CALL_TIMEOUT",
      exitCode: 7,
      text: expect.stringMatching(/within 10 minutes[^]*Run the command again/) as string,
    });
    expect(seen?.aborted).toBe(true);
  });

  it("does not matter if the user stops it, or if it ends before", async () => {
    const stop = new AbortController();
    const stopped = withinLoginTime(stop.signal, PLACE, waiting);
    stop.abort(new Error("stopped by the user"));
    await expect(stopped).rejects.toThrow("stopped by the user");
    expect(await withinLoginTime(never, PLACE, async () => "done")).toBe("done");
  });
});
