import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { settingsWith } from "../../test/support/fake-connection.ts";
import type { ServerSettings } from "../config/types.ts";
import type { DeliveryFailure } from "./channel.ts";
import { quietHost } from "./host.ts";
import { ServerFailures } from "./server-failures.ts";

const REMOTE: ServerSettings["transport"] = { kind: "http", url: "http://localhost", headers: {} };

const busy = (leftMs: number): DeliveryFailure => ({
  code: "unavailable",
  reason: `it is busy for ${leftMs} ms`,
  fix: "Wait",
  mayHaveRun: false,
});

function failuresOf(given: Parameters<typeof settingsWith>[0] = {}): ServerFailures {
  const settings = settingsWith(given);
  return new ServerFailures(() => settings, quietHost());
}

/** Fails as soon as it may, this often; gives the pauses in between. */
function failing(failures: ServerFailures, times: number): number[] {
  return Array.from({ length: times }, () => {
    failures.tried();
    failures.started(performance.now());
    failures.failed(performance.now(), "it broke", "exited");
    const begun = performance.now();
    while (failures.pausing) vi.advanceTimersByTime(100);
    return performance.now() - begun;
  });
}

describe("failures of a server", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("keep a process away for half a minute in the end, and a url for less than five seconds", () => {
    expect(Math.max(...failing(failuresOf(), 10))).toBeGreaterThan(20_000);
    expect(Math.max(...failing(failuresOf({ transport: REMOTE }), 10))).toBeLessThan(5000);
  });

  it("are told with their number and the time of the next try", () => {
    const failures = failuresOf();
    for (let i = 0; i < 2; i++) failures.failed(performance.now(), "it broke", "exited");
    expect(failures.refusal()?.message).toMatch(
      /^Failed to connect to server 'fx' in toolbox 'dev': it broke\. It failed 2 times; next try in [\d.]+ s$/,
    );
    expect(failures.lastError).toBe("it broke");
  });

  it("do not grow while the server wants to be left alone, and it is tried right after that", () => {
    const failures = failuresOf({ transport: REMOTE });
    failures.respite.ask(5000, busy);
    failures.failed(performance.now(), "it is busy", "unavailable");
    for (const left of [5000, 4000, 3000, 2000, 1000]) {
      expect(failures.pausing).toBe(true);
      expect(failures.refusal()?.reason).toBe(`it is busy for ${left} ms. Wait`);
      vi.advanceTimersByTime(1000);
    }
    expect(failures.pausing).toBe(false);
    expect(failures.refusal()).toBeUndefined();
  });

  it("are forgotten with the server, and so is what it asked for", () => {
    const failures = failuresOf();
    for (let i = 0; i < 4; i++) failures.failed(performance.now(), "it broke", "exited");
    failures.respite.ask(60_000, busy);
    failures.forget();
    expect(failures.pausing).toBe(false);
    expect(failures.refusal()).toBeUndefined();
  });
});
