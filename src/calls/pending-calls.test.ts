/** Histories of calls are in connection-model.test.ts; these are cases it does not reach. */
import { describe, expect, it } from "vitest";

import { FakeCaller, FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import { Call } from "./call.ts";

describe("PendingCalls", () => {
  it("sets both deadlines when a call is registered, unless its caller limits the time", () => {
    const timeouts = { callMs: 50, totalMs: 200 };
    const { connection } = new FakeConnection(settingsWith({ timeouts }));
    const [limited, unlimited] = [0, 1].map(
      () => new Call(new FakeCaller(), "workbench", "tools/list", "", undefined),
    ) as [Call, Call];
    connection.calls.register(limited);
    connection.calls.register(unlimited, false);
    expect(limited.deadline - limited.startedAt).toBeCloseTo(50);
    expect(limited.totalDeadline - limited.startedAt).toBeCloseTo(200);
    expect([unlimited.deadline, unlimited.totalDeadline]).toEqual([Infinity, Infinity]);
    connection.calls.end(["the test is over"])();
  });

  it("finds no call for a progress token that is not one of its ids", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    fake.call(caller, { progressToken: "token" });
    for (const progressToken of ["1", null, 0, 2, 1.5, {}])
      fake.receive({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 1 },
      });
    expect(caller.progress).toEqual([]);
    fake.answer(1);
  });
});

describe("Call", () => {
  it.each([
    ["tools/call", "read_file", "tool 'read_file'"],
    ["prompts/get", "greet", "prompts/get 'greet'"],
    ["tools/list", "", "tools/list"],
  ])("describes %s with subject %j in words", (method, subject, words) => {
    expect(new Call(new FakeCaller(), "client", method, subject, undefined).label).toBe(words);
  });
});
