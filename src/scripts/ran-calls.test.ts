import { describe, expect, it } from "vitest";

import { RanCalls } from "./ran-calls.ts";

describe("the calls of a script", () => {
  it("are counted by tool, with those that failed or may have changed something", () => {
    const calls = new RanCalls();
    expect(calls.summary).toBe("No calls were made.");
    calls.add("a/b/read", false, false);
    calls.add("a/b/read", true, false);
    calls.add("a/b/write", true, true);
    calls.addOpen("a/b/write", true);
    expect(calls.summary).toBe(
      "Calls that ran: 3 (a/b/read ×2 (1 failed), a/b/write (failed))\n" +
        "Calls that were cancelled because the script ended: 1\n" +
        "May have changed something: 2 (a/b/write ×2)",
    );
  });

  it("that the script did not wait for were cancelled, or never sent", () => {
    const calls = new RanCalls();
    expect(calls.notAwaited).toBeUndefined();
    calls.addOpen("a/b/read", false);
    expect(calls.notAwaited).toBe("1 call (1 cancelled)");
    calls.addUnsent(2);
    expect(calls.notAwaited).toBe("3 calls (1 cancelled, 2 never sent)");
    expect(calls.summary).toBe(
      "Calls that ran: 0\n" +
        "Calls that were cancelled because the script ended: 1\n" +
        "Calls that were never sent: 2",
    );
  });

  it("name ten tools at most", () => {
    const calls = new RanCalls();
    for (let i = 0; i < 12; i++) calls.add(`a/b/${i}`, false, false);
    expect(calls.summary).toMatch(/^Calls that ran: 12 \(a\/b\/0, .*a\/b\/9, …\)$/);
  });

  it("survive a suspension", () => {
    const calls = new RanCalls();
    calls.add("a/b/write", false, true);
    const restored = new RanCalls();
    restored.restore(JSON.parse(JSON.stringify(calls.record)) as RanCalls["record"]);
    restored.add("a/b/write", false, true);
    expect(restored.count).toBe(2);
    expect(restored.summary).toContain("May have changed something: 2 (a/b/write ×2)");
  });
});
