import { describe, expect, it } from "vitest";

import { doubtAbout } from "./doubt.ts";
import type { Hit } from "./types.ts";

const hit = (fit: number, name = "t", server = "s"): Hit => ({
  toolbox: "a",
  server,
  tool: { name },
  score: 1,
  fit,
});

const LONG =
  "find the newest report of last quarter, translate it, write a summary and send it to all members of the team";

describe("doubtAbout", () => {
  it("is empty if one tool fits", () => {
    expect(doubtAbout("read a file", [hit(0.1), hit(0.9)], 5)).toBe("");
  });

  it("suggests one step at a time for a long query", () => {
    expect(doubtAbout(LONG, [hit(0.1)], 5)).toMatch(/one step at a time$/);
  });

  it("expects a better fit of a long query than of a short one", () => {
    expect(doubtAbout(LONG, [hit(0.35)], 5)).toMatch(/one step at a time$/);
    expect(doubtAbout("read a file", [hit(0.35)], 5)).toBe("");
  });

  it("suggests one step at a time for a short query of several steps that no tool fits", () => {
    const five = Array.from({ length: 5 }, () => hit(0.1));
    expect(doubtAbout("get the weather; grok my calendar, send an email", five, 5)).toMatch(
      /^None may fit well.*one step at a time$/,
    );
  });

  it("suggests a higher limit for a short query, and other words if that shows no more", () => {
    const five = Array.from({ length: 5 }, () => hit(0.1));
    expect(doubtAbout("grok it", five, 5)).toMatch(/A limit of 10 shows more$/);
    expect(doubtAbout("grok it", [hit(0.1)], 5)).toMatch(/other words$/);
    expect(doubtAbout("grok it", [...five, ...five], 10)).toMatch(/other words$/);
  });

  it("is there if the query has nothing but filler words", () => {
    expect(doubtAbout("what is it", [hit(0.6)], 5)).toMatch(/other words$/);
    expect(doubtAbout("do", [hit(1)], 5)).toBe("");
  });

  describe("if a tool fits one of several steps", () => {
    const query = "get the weather; add an event to my calendar";
    const shown = [
      hit(0.7, "add_event"),
      { ...hit(0.5, "get_events"), also: [{ toolbox: "a", server: "s2" }] },
    ];
    const found = (weather: Hit[]) => (step: string) =>
      step.includes("weather") ? weather : [hit(0.9, "add_event")];

    it("says so if the tools of another step are not shown", () => {
      expect(doubtAbout(query, shown, 5, found([hit(0.9, "get_weather")]))).toBe(
        "Not every step has a tool here. Search for one step at a time",
      );
      expect(doubtAbout(query, shown, 5, found([hit(0.9, "add_event", "other")]))).not.toBe("");
    });

    it("is empty if one of them is shown, or is the same as one that is", () => {
      const other = hit(0.9, "get_weather");
      expect(doubtAbout(query, shown, 5, found([other, hit(0.8, "add_event")]))).toBe("");
      expect(doubtAbout(query, shown, 5, found([other, hit(0.8, "get_events", "s2")]))).toBe("");
    });

    it("is empty if no tool fits the other step", () => {
      expect(doubtAbout(query, shown, 5, found([hit(0.1, "get_weather")]))).toBe("");
      expect(doubtAbout(query, shown, 5, found([]))).toBe("");
    });

    it("is empty if a tool has the query as its name", () => {
      expect(doubtAbout(query, [hit(1), ...shown], 5, found([hit(0.9, "x")]))).toBe("");
    });
  });
});
