import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeCaller, FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import type { ServerSettings } from "../config/types.ts";
import type { DeliveryFailure } from "./channel.ts";
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

describe("calls that fail while the server is connected", () => {
  const lines: string[] = [];
  const timeouts = { callMs: 1000, totalMs: 5000 };
  let fake: FakeConnection;

  const refused = {
    code: "refused",
    reason: "nobody is there",
    fix: "Start it",
    mayHaveRun: false,
  };
  const unauthorized = { ...refused, code: "unauthorized", reason: "who are you?" };
  const undelivered = (failure: DeliveryFailure, callerId = "1"): void => {
    const { call } = fake.call(new FakeCaller(), { callerId });
    fake.connection.undeliverable(call, failure);
  };
  const answered = (callerId = "1"): void => {
    fake.answer(fake.call(new FakeCaller(), { callerId }).call.id);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    lines.length = 0;
    const log = { ...NO_LOG, warn: (line: string) => void lines.push(line) };
    const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
    fake = new FakeConnection(settingsWith({ timeouts }), { ...quietHost(), log, redact });
  });
  afterEach(() => void vi.useRealTimers());

  it("are told with their cause, and stay so when all is well again", () => {
    undelivered(refused);
    const { lastError, lastErrorCode } = fake.failures;
    expect([lastError, lastErrorCode]).toEqual(["nobody is there. Start it", "refused"]);
    answered();
    expect(fake.failures.lastErrorCode).toBe("refused");
    expect(fake.failures.pausing).toBe(false);
  });

  it("are told if the answer does not come, or is too large", () => {
    fake.call(new FakeCaller());
    vi.advanceTimersByTime(1500);
    expect(fake.failures.lastErrorCode).toBe("CALL_TIMEOUT");
    expect(fake.failures.lastError).toContain("no answer and no progress within 1000 ms");
    const { call } = fake.call(new FakeCaller());
    const head = Buffer.from(`{"jsonrpc":"2.0","id":${call.id},"result":{`);
    fake.connection.oversized(head, 99_999_999);
    expect(fake.failures.lastErrorCode).toBe("MESSAGE_TOO_LARGE");
    expect(lines).toHaveLength(2);
  });

  it("are logged once for each kind, until one is answered", () => {
    for (let i = 0; i < 5; i++) undelivered(refused);
    expect(lines).toEqual(["call failed: nobody is there. Start it"]);
    for (let i = 0; i < 5; i++) undelivered(unauthorized);
    expect(lines).toHaveLength(2);
    answered("");
    undelivered(unauthorized);
    expect(lines).toHaveLength(2);
    answered();
    undelivered(unauthorized);
    expect(lines).toHaveLength(3);
  });

  it("are those of clients: the workbench deals with its own, and with what it ends itself", async () => {
    undelivered(refused, "");
    fake.call(new FakeCaller());
    await fake.connection.close();
    expect(fake.failures.lastError).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it("are kept without secrets and not at any length", () => {
    undelivered({ ...refused, reason: `${"x ".repeat(494)}hunter2 ${"y".repeat(1_000_000)}` });
    expect(fake.failures.lastError?.length).toBeLessThanOrEqual(1000);
    expect(fake.failures.lastError).toMatch(/x x \[reda/);
  });
});
