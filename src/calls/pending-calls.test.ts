/** Histories of calls are in connection-model.test.ts; these are cases it does not reach. */
import { describe, expect, it } from "vitest";

import { FakeCaller, FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import { Call } from "./call.ts";
import { cancel } from "./settle.ts";

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

  // A question of a server is taken for one about the latest of the calls that it may be about.
  it("gives calls in flight in their order, also after many others and beside one that takes long", () => {
    const fake = new FakeConnection(settingsWith({ limits: { concurrency: 100, queue: 100 } }));
    const caller = new FakeCaller();
    fake.call(caller);
    for (let id = 2; id < 200; id++) {
      fake.call(caller);
      const ids = [...fake.connection.calls.inFlight()].map((call) => call.id);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      expect(ids.at(-1)).toBe(id);
      if (id > 4) fake.answer(id - 3);
    }
    fake.connection.calls.end(["the test is over"])();
  });

  it("sends waiting calls in their order, without those that were cancelled", () => {
    const fake = new FakeConnection(settingsWith({ limits: { concurrency: 1, queue: 300 } }));
    const calls = Array.from({ length: 300 }, () => fake.call(new FakeCaller()).call);
    for (const [i, call] of calls.entries()) if (i % 3 === 1) cancel(call, "not needed");
    const order: number[] = [];
    for (let next = [...fake.connection.calls.inFlight()]; next[0] !== undefined;) {
      order.push(next[0].id);
      fake.answer(next[0].id);
      next = [...fake.connection.calls.inFlight()];
    }
    expect(order).toEqual(calls.filter((_, i) => i % 3 !== 1).map(({ id }) => id));
    expect(fake.connection.calls.waiting).toBe(0);
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
