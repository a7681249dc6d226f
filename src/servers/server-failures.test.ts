import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { CallOrigin } from "../calls/call.ts";
import { FakeCaller, FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import type { ServerSettings } from "../config/types.ts";
import type { DeliveryFailure } from "../calls/call-errors.ts";
import { quietHost } from "./host.ts";
import { NO_LOG } from "../log.ts";
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

/** Fails as soon as it may, this often; returns the pauses in between. */
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

describe("ServerFailures", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("delays a process by up to 30 seconds and a remote server by less than five", () => {
    expect(Math.max(...failing(failuresOf(), 10))).toBeGreaterThan(20_000);
    expect(Math.max(...failing(failuresOf({ transport: REMOTE }), 10))).toBeLessThan(5000);
  });

  it("reports the number of failures and the time until the next attempt", () => {
    const failures = failuresOf();
    for (let i = 0; i < 2; i++) failures.failed(performance.now(), "it broke", "exited");
    expect(failures.refusal()?.message).toMatch(
      /^Failed to connect to server 'fx' in toolbox 'dev': it broke\. It failed 2 times; next try in [\d.]+ s$/,
    );
    expect(failures.lastError).toBe("it broke");
  });

  it("does not extend the waiting time that the server asked for, and then allows an attempt at once", () => {
    const failures = failuresOf({ transport: REMOTE });
    failures.retryAfter.set(5000, busy);
    failures.failed(performance.now(), "it is busy", "unavailable");
    for (const left of [5000, 4000, 3000, 2000, 1000]) {
      expect(failures.pausing).toBe(true);
      expect(failures.refusal()?.reason).toBe(`it is busy for ${left} ms. Wait`);
      vi.advanceTimersByTime(1000);
    }
    expect(failures.pausing).toBe(false);
    expect(failures.refusal()).toBeUndefined();
  });

  it("forgets its failures and the waiting time when it is reset", () => {
    const failures = failuresOf();
    for (let i = 0; i < 4; i++) failures.failed(performance.now(), "it broke", "exited");
    failures.retryAfter.set(60_000, busy);
    failures.forget();
    expect(failures.pausing).toBe(false);
    expect(failures.refusal()).toBeUndefined();
  });
});

describe("ServerFailures, for failed calls of a connected server,", () => {
  const lines: string[] = [];
  const timeouts = { callMs: 1000, totalMs: 5000 };
  let fake: FakeConnection;

  const refused = {
    code: "refused",
    reason: "nothing listens there",
    fix: "Start it",
    mayHaveRun: false,
  };
  const unauthorized = { ...refused, code: "unauthorized", reason: "who are you?" };
  const undelivered = (failure: DeliveryFailure, origin: CallOrigin = "client"): void => {
    const { call } = fake.call(new FakeCaller(), { origin });
    fake.connection.input.onUndeliverable(call, failure);
  };
  const answered = (origin: CallOrigin = "client"): void => {
    fake.answer(fake.call(new FakeCaller(), { origin }).call.id);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    lines.length = 0;
    const log = { ...NO_LOG, warn: (line: string) => void lines.push(line) };
    const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
    fake = new FakeConnection(settingsWith({ timeouts }), { ...quietHost(), log, redact });
  });
  afterEach(() => void vi.useRealTimers());

  it("keeps the last error with its cause, even after a successful call", () => {
    undelivered(refused);
    const { lastError, lastErrorCode } = fake.failures;
    expect([lastError, lastErrorCode]).toEqual(["nothing listens there. Start it", "refused"]);
    answered();
    expect(fake.failures.lastErrorCode).toBe("refused");
    expect(fake.failures.pausing).toBe(false);
  });

  it("records time-outs and answers that are too large", () => {
    fake.call(new FakeCaller());
    vi.advanceTimersByTime(1500);
    expect(fake.failures.lastErrorCode).toBe("CALL_TIMEOUT");
    expect(fake.failures.lastError).toContain("no answer and no progress within 1000 ms");
    const { call } = fake.call(new FakeCaller());
    const head = Buffer.from(`{"jsonrpc":"2.0","id":${call.id},"result":{`);
    fake.connection.input.onOversized(head, 99_999_999);
    expect(fake.failures.lastErrorCode).toBe("MESSAGE_TOO_LARGE");
    expect(lines).toHaveLength(2);
  });

  it("logs each kind of failure once, until a client's call succeeds", () => {
    for (let i = 0; i < 5; i++) undelivered(refused);
    expect(lines).toEqual(["call failed: nothing listens there. Start it"]);
    for (let i = 0; i < 5; i++) undelivered(unauthorized);
    expect(lines).toHaveLength(2);
    answered("workbench");
    undelivered(unauthorized);
    expect(lines).toHaveLength(2);
    answered();
    undelivered(unauthorized);
    expect(lines).toHaveLength(3);
  });

  it("ignores requests of the workbench itself and calls it ended by closing", async () => {
    undelivered(refused, "workbench");
    fake.call(new FakeCaller());
    await fake.connection.close();
    expect(fake.failures.lastError).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it("redacts and truncates the last error", () => {
    undelivered({ ...refused, reason: `${"x ".repeat(494)}hunter2 ${"y".repeat(1_000_000)}` });
    expect(fake.failures.lastError?.length).toBeLessThanOrEqual(1000);
    expect(fake.failures.lastError).toMatch(/x x \[reda/);
  });
});
