import { describe, expect, it } from "vitest";
import { KeptEvents, SessionEvents } from "./kept-events.ts";

const numbers = (texts: readonly string[]): number[] =>
  texts.map((text) => Number.parseInt(text, 10));

describe("the kept events of a session", () => {
  it("are those that followed one in its stream", () => {
    const events = new SessionEvents(new KeptEvents());
    for (let i = 1; i <= 4; i++) {
      events.keep(1, i, `${i}`);
      events.keep(2, i, `other ${i}`);
    }
    expect(events.after(1, 2)).toEqual(["3", "4"]);
    expect(events.after(1, 4)).toEqual([]);
    expect(events.after(3, 0)).toEqual([]);
  });

  it("are the latest ones, limited in number and in size", () => {
    const events = new SessionEvents(new KeptEvents());
    for (let i = 1; i <= 1000; i++) events.keep(1, i, `${i}`);
    expect(numbers(events.after(1, 0))).toEqual(Array.from({ length: 100 }, (_, i) => i + 901));
    for (let i = 1; i <= 20; i++) events.keep(2, i, `${i} ${"x".repeat(50_000)}`);
    expect(numbers(events.after(2, 0))).toEqual([16, 17, 18, 19, 20]);
  });
});

describe("the kept events of all sessions", () => {
  it("are limited in size, and the oldest go first", () => {
    const all = new KeptEvents();
    const sessions = Array.from({ length: 100 }, () => new SessionEvents(all));
    for (const events of sessions)
      for (let i = 1; i <= 4; i++) events.keep(1, i, "x".repeat(50_000));
    expect(all.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(all.bytes).toBeGreaterThan(3 * 1024 * 1024);
    expect(sessions[0]?.after(1, 0)).toEqual([]);
    expect(sessions.at(-1)?.after(1, 0)).toHaveLength(4);
    for (const events of sessions) events.clear();
    expect(all.bytes).toBe(0);
  });
});
